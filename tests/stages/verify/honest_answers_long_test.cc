#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

TEST(AllHonestAnswers, NoneIsRefused) {
  const std::vector<CandidateFile> answers = HonestAnswers();
  EXPECT_GE(answers.size(), 150u);
  ExpectCorrect(answers);
}

}  // namespace
}  // namespace kernelmill
