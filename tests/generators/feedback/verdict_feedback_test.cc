#include "generators/feedback/verdict_feedback.h"
#include "generators/feedback/error_patterns.h"
#include "generators/feedback/legal_ways.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

Verdict Wrong() {
  Verdict verdict;
  verdict.status = VerdictStatus::kWrong;
  verdict.reason = "values";
  verdict.diagnosis = VerdictDiagnosis{0,
                                       {12, 20},
                                       48,
                                       240,
                                       "not_written",
                                       "where index 1 is 16 or more",
                                       {{{0, 16}, "0.5", "nan"}}};
  return verdict;
}

TEST(Feedback, SaysWhatWhereAndWhy) {
  EXPECT_EQ(
      FeedbackText(Wrong()),
      "The answer is not accepted: its output differs from the reference.\n"
      "Of the 240 elements of the output of shape [12, 20], 48 are wrong: where index 1 is 16 "
      "or more.\n"
      "  [0, 16]: expected 0.5, got nan\n"
      "Likely cause: " +
          std::string(CauseOfPattern("not_written")) + ".\n");
}

TEST(Feedback, ReadsWithoutValuesToo) {
  const std::string text = FeedbackText(Wrong().Reproducible());
  EXPECT_NE(text.find("Elements of the output of shape [12, 20] are wrong: where index 1 is 16"),
            text.npos)
      << text;
  EXPECT_NE(text.find("The first of them: [0, 16].\n"), text.npos) << text;
  EXPECT_EQ(text.find("expected"), text.npos) << text;
}

TEST(Feedback, LeavesOutCodeThatIsNotTheCandidates) {
  Verdict verdict;
  verdict.status = VerdictStatus::kNotBuilt;
  verdict.reason = "compile_error";
  verdict.detail =
      "cuda.cu:3:1: error: no\ncuda.cu:3:2: note: in kernelmill::Launcher\n"
      "/km/torch/include/ATen/ops/empty.h:3:1: note: candidate function";
  EXPECT_EQ(FeedbackText(verdict),
            "The answer is not accepted: the compiler refuses its native code.\n"
            "cuda.cu:3:1: error: no\n");
}

TEST(Feedback, BlamesTheLayoutWhereThatIsTheDifference) {
  Verdict verdict = Wrong();
  verdict.status = VerdictStatus::kNotGeneral;
  verdict.reason = "other_layout";
  const std::string text = FeedbackText(verdict);
  EXPECT_NE(text.find("x.contiguous()"), text.npos);
  EXPECT_EQ(text.find(CauseOfPattern("not_written")), text.npos);
}

TEST(Feedback, PointsIntoTheCandidate) {
  Verdict verdict;
  verdict.status = VerdictStatus::kIllegal;
  verdict.reason = "layer_called";
  verdict.findings.push_back({"layer_called", "candidate.py", 12, "calls self.act"});
  EXPECT_EQ(
      FeedbackText(verdict),
      "The answer is not accepted: it calls a layer of torch.nn instead of using its "
      "parameters.\n- candidate.py:12: calls self.act\n"
      "Instead: keep the layer for its parameters, and hand its weight and bias to a kernel.\n");
}

TEST(Feedback, NamesALegalWayForEveryRule) {
  for (const VerdictReason& reason : AllVerdictReasons()) {
    EXPECT_EQ(LegalWay(reason.name).empty(), reason.status != VerdictStatus::kIllegal)
        << reason.name;
  }
}

TEST(Feedback, SaysWithWhatInputsItFails) {
  Verdict verdict = Wrong();
  verdict.trials = {{"own", "own", "own", true}, {"own", "large", "own", false}};
  EXPECT_NE(FeedbackText(verdict).find("It fails at the task's own sizes, for values of the kind "
                                       "\"large\"; 1 other trial passed.\n"),
            std::string::npos)
      << FeedbackText(verdict);
  verdict.sizes = {{1, {"rows", "n"}, 12}, {2, {"columns"}, 20}};
  verdict.trials = {{"own", "own", "own", false}};
  EXPECT_NE(FeedbackText(verdict).find("It fails with rows = 12, columns = 20, for inputs as "
                                       "get_inputs() makes them.\n"),
            std::string::npos)
      << FeedbackText(verdict);
  // What grading hides is not told.
  verdict.contract.any_shape = true;
  verdict.trials = {{"own", "own", "own", true}, {"grading", "own", "own", false}};
  EXPECT_EQ(FeedbackText(verdict).find("rows = "), std::string::npos);
  // Trials that the contract does not ask for are no failure.
  verdict.contract.any_shape = false;
  EXPECT_EQ(FeedbackText(verdict).find("It fails "), std::string::npos);
}

TEST(Feedback, IsNoneForWhatSaysNothingAboutTheCandidate) {
  for (VerdictStatus status : {VerdictStatus::kInfra, VerdictStatus::kReferenceFailed,
                               VerdictStatus::kUndecided, VerdictStatus::kUnsupported}) {
    Verdict verdict;
    verdict.status = status;
    EXPECT_EQ(FeedbackText(verdict), "");
    EXPECT_EQ(verdict.Reward(), std::nullopt);
  }
}

TEST(ErrorPatterns, EachHasACause) {
  for (const ErrorPattern& pattern : AllErrorPatterns()) {
    EXPECT_EQ(CauseOfPattern(pattern.name), pattern.cause);
    EXPECT_NE(pattern.cause, "");
  }
  EXPECT_EQ(CauseOfPattern("no such pattern"), "");
}

TEST(Reward, IsEquationTwo) {
  Verdict verdict = Wrong();
  EXPECT_EQ(verdict.Reward(), -1.0);  // No trial passed.
  verdict.trials = {{"own", "own", "own", true}, {"own", "own", "own", false}};
  EXPECT_EQ(verdict.Reward(), -0.25);
  verdict.status = VerdictStatus::kIllegal;
  EXPECT_EQ(verdict.Reward(), -1.0);
  verdict.status = VerdictStatus::kCorrect;
  EXPECT_EQ(verdict.Reward(), 1.0);
  EXPECT_TRUE(verdict.ToJson().Find("reward")->Find("performance")->is_null());
}

}  // namespace
}  // namespace kernelmill
