#include "stages/recipes/untrusted_operations.h"

#include "stages/fetch/commit_operation.h"
#include "stages/mine/arguments_operation.h"
#include "stages/mine/read_operation.h"
#include "stages/mine/walk_operation.h"
#include "stages/pack/licence_operation.h"
#include "stages/render/explain_operation.h"
#include "stages/supply/text_operation.h"

namespace kernelmill {

std::span<const UntrustedOperation> AllUntrustedOperations() {
  static const UntrustedOperation kOperations[] = {
      kCommitOperation,  kWalkOperation, kReadOperation,       kArgumentsOperation,
      kExplainOperation, kTextOperation, kLicenceTextOperation};
  return kOperations;
}

}  // namespace kernelmill
