// Tests checks on real answers and mutants, with the real compiler, executor and workers.
#include "stages/check/check_trial.h"

#include <gtest/gtest.h>

#include <set>

#include "generators/checks/check_text.h"
#include "tests/stages/perturb/perturbed_cases.h"

namespace kernelmill {
namespace {

KnownCandidate Known(Candidate candidate) {
  candidate.backend = "cuda";
  const Digest id = DigestOf(candidate.ToJson().Dump());
  return {id, std::move(candidate)};
}

// An atomic sum over rows, and four mutants of it.
KnownTask SumWithMutants() {
  const RightText right = AtomicSum();
  KnownTask known;
  known.id = DigestOf(right.reference);
  known.annotation = DigestOf("annotation");
  known.task.code = right.reference;
  known.task.inputs = {{.name = "x", .dtype = "float32", .shape = {9, 70}, .draw = "randn"}};
  known.task.shape_contract = "any_shape";
  known.facts.outputs = {{{9}, "float32", {1}}};
  known.facts.parameters = {{"shift", {70}, "float32"}, {"scale", {70}, "float32"}};
  known.facts.aten = {{"aten.add", 1}, {"aten.mul", 1}, {"aten.sum", 1}};
  known.facts.symbolic = {
      .state = "followed", .symbols = {{"s0", 9}}, .inputs = {{"s0", "70"}}};
  Candidate answer;
  answer.code = right.code;
  answer.verdict.status = VerdictStatus::kCorrect;
  known.candidates.push_back(Known(answer));
  for (const char* const name : {"missing_semicolon", "swapped_arguments", "missing_argument",
                                 "plain_update"}) {
    const std::vector<std::string> codes = MutantTexts(*FindBug(name), *right.trees);
    EXPECT_FALSE(codes.empty()) << name;
    Candidate mutant;
    mutant.code = codes.at(0);
    mutant.bug = name;
    mutant.parent = known.candidates[0].id.Hex();
    mutant.verdict.status = VerdictStatus::kWrong;
    known.candidates.push_back(Known(mutant));
  }
  return known;
}

class CheckTrialTest : public testing::Test {
 protected:
  static CheckFate Fate(const std::string& code, Check* check) {
    *check = {.task = Task().id, .backend = "cuda", .code = code};
    const Result<CheckFate> fate = Trials().Try(Task(), check);
    EXPECT_TRUE(fate.ok()) << fate.status().message();
    return fate.ok() ? *fate : CheckFate::kRefusesRight;
  }
  static const KnownTask& Task() {
    static const KnownTask kTask = SumWithMutants();
    return kTask;
  }
  static CheckTrials& Trials() {
    static CheckTrials trials;
    return trials;
  }
};

TEST_F(CheckTrialTest, OneThatNeverRaisesMissesBugs) {
  Check check;
  EXPECT_EQ(Fate("def check(ModelNew):\n    pass\n", &check), CheckFate::kMissesBugs);
  EXPECT_EQ(check.passed.size(), 1u);
  // A mutant that does not build is always caught.
  EXPECT_EQ(check.caught.size(), 1u);
  EXPECT_EQ(check.missed.size(), 3u);
}

TEST_F(CheckTrialTest, OneThatAlwaysRaisesRefusesRightAnswers) {
  Check check;
  EXPECT_EQ(Fate("def check(ModelNew):\n    assert False\n", &check), CheckFate::kRefusesRight);
  EXPECT_EQ(Fate("def check(ModelNew):\n    return undefined\n", &check),
            CheckFate::kRefusesRight);
  EXPECT_EQ(Fate("check = 3\n", &check), CheckFate::kRefusesRight);
}

// Every form must accept the right answer and catch what running can show. A lost update shows only
// under the race detector.
TEST_F(CheckTrialTest, EveryFormTellsThemApart) {
  std::set<std::string> seen;  // Forms of iteration and of comparison.
  for (int seed = 0; seed < 400; ++seed) {
    const Wording wording(Task().id, seed);
    const CheckPlan plan = PlanCheck(Task(), "cuda", wording);
    const CheckText text = WriteCheck(plan, wording);
    const std::size_t comma = text.construction.find(", ");
    const bool news = seen.insert(text.construction.substr(0, comma)).second;
    if (!seen.insert(text.construction.substr(comma + 2)).second && !news) continue;
    SCOPED_TRACE(text.code);
    Check check;
    EXPECT_EQ(Fate(text.code, &check), CheckFate::kMissesBugs);
    EXPECT_EQ(check.passed.size(), 1u);
    EXPECT_EQ(check.caught.size(), 3u);
    EXPECT_EQ(check.missed.size(), 1u);
  }
  EXPECT_EQ(seen.size(), 10u);
}

}  // namespace
}  // namespace kernelmill
