#include "parsers/samples/model_sample.h"

#include "parsers/samples/message_code.h"

namespace kernelmill {

std::optional<std::string> ModelSample::Code() const {
  return code_only ? std::optional(message) : FindCandidateCode(message);
}

}  // namespace kernelmill
