#include "tests/stages/verify/kernel_suite.h"

namespace kernelmill {
namespace {

TEST(KernelSuiteLong, MemoryChecksFindWhatIsWrongAndNothingElse) {
  RunSuite(BuildKind::kMemory, "memory", Topics());
}

TEST(KernelSuiteLong, RacesAreFoundAndOrderedAccessesAreNone) {
  RunSuite(BuildKind::kRaces, "races", Topics());
}

}  // namespace
}  // namespace kernelmill
