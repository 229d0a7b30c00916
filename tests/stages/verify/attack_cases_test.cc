// A sample of the attack's cases, 5 of each kind, another one for each commit.
#include "tests/stages/verify/attack_cases.h"

namespace kernelmill {
namespace {

constexpr std::size_t kOfEachKind = 5;

TEST(AttackSample, CheatsOfThisCommitsShareAreRefused) {
  ExpectAsMarked(SampleOfCommit(AttackCases("cheats"), kOfEachKind));
}

TEST(AttackSample, WrongKernelsOfThisCommitsShareAreRefused) {
  ExpectAsMarked(SampleOfCommit(AttackCases("wrong"), kOfEachKind));
}

TEST(AttackSample, HonestAnswersOfThisCommitsShareAreAccepted) {
  ExpectAsMarked(SampleOfCommit(AttackCases("honest"), kOfEachKind));
}

}  // namespace
}  // namespace kernelmill
