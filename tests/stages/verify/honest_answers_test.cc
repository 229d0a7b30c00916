// Answers in the styles of people and models, all of them right: none may be refused.
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

TEST(HonestAnswers, NoneOfThisCommitsShareIsRefused) {
  ExpectCorrect(SampleOfCommit(HonestAnswers(), 24));
}

}  // namespace
}  // namespace kernelmill
