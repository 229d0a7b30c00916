// Tests verdicts on kernels that depend on a task's own sizes: a sample of own_sizes/.
#include "tests/stages/verify/own_size_cases.h"

namespace kernelmill {
namespace {

TEST(OwnSizes, ASampleIsDecidedAtTheTasksOwnSizes) {
  ExpectDecidedAtOwnSizes(SampleOfCommit(OwnSizeCases(), 4));
}

}  // namespace
}  // namespace kernelmill
