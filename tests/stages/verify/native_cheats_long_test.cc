#include "tests/stages/verify/native_cheats.h"

namespace kernelmill {
namespace {

TEST(NativeCheatsLong, AreAllRefusedWithTheirReason) {
  const std::vector<CandidateFile> cheats = CandidatesIn("native_cheats");
  EXPECT_GE(cheats.size(), 150u);
  ExpectRefusedWithTheirReason(cheats);
}

}  // namespace
}  // namespace kernelmill
