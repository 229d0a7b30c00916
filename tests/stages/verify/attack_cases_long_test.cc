// All cases of the attack. KERNELMILL_ATTACK_CASES selects those whose name holds one of its words,
// which commas separate.
#include <cstdlib>
#include <sstream>

#include "tests/stages/verify/attack_cases.h"

namespace kernelmill {
namespace {

std::vector<CandidateFile> Selected(const std::string& kind) {
  std::vector<CandidateFile> cases = AttackCases(kind);
  EXPECT_GE(cases.size(), 42u);
  if (const char* const words = std::getenv("KERNELMILL_ATTACK_CASES"); words != nullptr) {
    std::erase_if(cases, [words](const CandidateFile& one) {
      std::istringstream text(words);
      for (std::string word; std::getline(text, word, ',');) {
        if (one.name.find(word) != std::string::npos) return false;
      }
      return true;
    });
  }
  return cases;
}

TEST(AttackCases, CheatsAreRefused) { ExpectAsMarked(Selected("cheats")); }

TEST(AttackCases, WrongKernelsAreRefused) { ExpectAsMarked(Selected("wrong")); }

TEST(AttackCases, HonestAnswersAreAccepted) { ExpectAsMarked(Selected("honest")); }

}  // namespace
}  // namespace kernelmill
