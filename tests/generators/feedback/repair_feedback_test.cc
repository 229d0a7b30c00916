#include "generators/feedback/repair_feedback.h"

#include <gtest/gtest.h>

#include <set>

namespace kernelmill {
namespace {

constexpr int kSeeds = 60;  // Enough for every form.

std::string Feedback(const Verdict& verdict, int seed,
                     PromptLanguage language = PromptLanguage::kEnglish) {
  return RepairFeedback(verdict, language, Wording(DigestOf("row"), seed));
}

Verdict Illegal() {
  Verdict verdict;
  verdict.status = VerdictStatus::kIllegal;
  verdict.reason = "torch_compute";
  verdict.detail = "calls F.relu";
  verdict.findings = {{"torch_compute", "candidate.py", 12, "calls F.relu"},
                      {"torch_compute", "candidate.py", 12, "calls F.gelu"},
                      {"torch_compute", "candidate.py", 14, "calls torch.add"}};
  return verdict;
}

TEST(RepairFeedback, HasEveryFindingWithItsPlace) {
  std::set<std::string> texts;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::string text = Feedback(Illegal(), seed);
    for (const char* fact :
         {"candidate.py:12", "calls F.relu", "calls F.gelu", "candidate.py:14", "calls torch.add"}) {
      EXPECT_NE(text.find(fact), text.npos) << fact << " is not in\n" << text;
    }
    EXPECT_EQ(text.find("\n\n\n"), text.npos) << text;
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), 30u);
}

TEST(RepairFeedback, HasWhatTheCompilerSaid) {
  Verdict verdict;
  verdict.status = VerdictStatus::kNotBuilt;
  verdict.reason = "compile_error";
  verdict.detail = "cuda.cu:3:1: error: no\ncuda.cu:3:2: note: in kernelmill::Launcher";
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::string text = Feedback(verdict, seed, PromptLanguage::kChinese);
    EXPECT_NE(text.find("cuda.cu:3:1: error: no"), text.npos) << text;
    EXPECT_EQ(text.find("kernelmill::"), text.npos) << text;
  }
}

TEST(RepairFeedback, NamesAWrongElement) {
  Verdict verdict;
  verdict.status = VerdictStatus::kWrong;
  verdict.reason = "values";
  verdict.diagnosis = VerdictDiagnosis{
      0, {12, 20}, 0, 240, "zeros", "", {{{3, 16}, "", ""}, {{3, 17}, "", ""}, {{4, 16}, "", ""}}};
  int causes = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::string text = Feedback(verdict, seed);
    EXPECT_TRUE(text.find("[3, 16]") != text.npos || text.find("[3,16]") != text.npos) << text;
    EXPECT_EQ(text.find("expected"), text.npos) << text;
    causes += text.find("every block") != text.npos || text.find("not every block") != text.npos;
  }
  // Some texts name the likely cause, and some do not.
  EXPECT_GT(causes, 0);
  EXPECT_LT(causes, kSeeds);
}

}  // namespace
}  // namespace kernelmill
