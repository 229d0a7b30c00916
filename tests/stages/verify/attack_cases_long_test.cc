// All cases of the attack. KERNELMILL_ATTACK_CASES selects those whose name holds it.
#include <cstdlib>

#include "tests/stages/verify/attack_cases.h"

namespace kernelmill {
namespace {

std::vector<CandidateFile> Selected(const std::string& kind) {
  std::vector<CandidateFile> cases = AttackCases(kind);
  EXPECT_GE(cases.size(), 42u);
  if (const char* const part = std::getenv("KERNELMILL_ATTACK_CASES"); part != nullptr) {
    std::erase_if(cases, [part](const CandidateFile& one) {
      return one.name.find(part) == std::string::npos;
    });
  }
  return cases;
}

TEST(AttackCases, CheatsAreRefused) { ExpectAsMarked(Selected("cheats")); }

TEST(AttackCases, WrongKernelsAreRefused) { ExpectAsMarked(Selected("wrong")); }

TEST(AttackCases, HonestAnswersAreAccepted) { ExpectAsMarked(Selected("honest")); }

}  // namespace
}  // namespace kernelmill
