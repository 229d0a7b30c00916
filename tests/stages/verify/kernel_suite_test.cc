#include "tests/stages/verify/kernel_suite.h"

#include "tests/shared_suite.h"

namespace kernelmill {
namespace {

// Topics of which the slower builds run, by lot. All of them run in kernel_suite_long_test.cc.
constexpr std::size_t kShare = 12;

KM_SHARED_SUITE(KernelSuite);

TEST(KernelSuite, EveryKernelComputesWhatTorchDoes) {
  RunSuite(BuildKind::kPlain, "plain", Topics());
}

TEST(KernelSuite, MemoryChecksFindWhatIsWrongAndNothingElse) {
  RunSuite(BuildKind::kMemory, "memory", SampleOfCommit(Topics(), kShare));
}

TEST(KernelSuite, RacesAreFoundAndOrderedAccessesAreNone) {
  RunSuite(BuildKind::kRaces, "races", SampleOfCommit(Topics(), kShare));
}

TEST(KernelSuite, CountsAreThoseOfADevice) {
  RunSuite(BuildKind::kCounts, "counts", {{"counting", VerifyTests() / "kernels" / "counting.cu"}});
}

}  // namespace
}  // namespace kernelmill
