#include "tests/stages/verify/native_cheats.h"

namespace kernelmill {
namespace {

TEST(NativeCheats, OfThisCommitsShareAreRefusedWithTheirReason) {
  ExpectRefusedWithTheirReason(SampleOfCommit(CandidatesIn("native_cheats"), 50));
}

}  // namespace
}  // namespace kernelmill
