// Correct answers in the styles of people and models. None may be rejected.
#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

KM_SHARED_SUITE(HonestAnswers);

TEST(HonestAnswers, NoneOfThisCommitsShareIsRefused) {
  ExpectCorrect(SampleOfCommit(HonestAnswers(), 16));
}

}  // namespace
}  // namespace kernelmill
