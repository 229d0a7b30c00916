// Tests bugs in real answers, with the real compiler, executor and workers.
#include <set>

#include "corpora/records/candidate.h"
#include "corpora/records/task.h"
#include "stages/perturb/perturb_step.h"
#include "tests/stages/perturb/perturbed_cases.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

TEST(Bugs, HaveRoomInAnswers) {
  const std::vector<RightText> texts = RightTexts(3);
  std::set<std::string_view> names;
  for (const BugClass& bug : AllBugs()) {
    SCOPED_TRACE(bug.name);
    EXPECT_TRUE(names.insert(bug.name).second);
    EXPECT_FALSE(bug.cause.empty());
    EXPECT_FALSE(bug.remedy.empty());
    EXPECT_FALSE(MutantsOf(bug, texts, 1).empty());
  }
}

// A model that runs out of tokens leaves half an answer; searching it must not fail.
TEST(Bugs, AreLookedForInAnyText) {
  for (const RightText& right : RightTexts(1)) {
    for (std::size_t end = 0; end < right.code.size(); end += 701) {
      const std::string half = right.code.substr(0, end) + "\n\"\"\"\nclass ModelNew:\n" +
                               "    def forward(self, x):\n        return x\n";
      const auto trees = AnswerTrees::Parse(half, right.reference.substr(0, end / 2));
      if (trees == nullptr) continue;
      for (const BugClass& bug : AllBugs()) {
        for (const std::string& mutant : MutantTexts(bug, *trees)) EXPECT_NE(mutant, half);
      }
    }
  }
}

TEST(Bugs, OfThisCommitsShareAreShown) {
  const std::vector<RightText> texts = RightTexts(3);
  ProofJudges judges(StoreUse::kIgnore);
  for (const NamedBug& item : SampleOfCommit(NamedBugs(), 4)) {
    SCOPED_TRACE(item.name);
    ExpectProved(*item.bug, texts, &judges);
  }
}

class PerturbStepTest : public testing::Test {
 protected:
  // The first answer to a case, as the step `answer` outputs it.
  static Input InputOf(const std::string& name) {
    for (const LoweringCase& item : AllLoweringCases()) {
      if (item.name != name) continue;
      const BuiltCase built(item);
      Task task;
      task.code = built.reference;
      Record subject;
      subject.kind = RecordKind::kTask;
      subject.payload = task.ToJson();
      Candidate candidate;
      candidate.task = subject.ContentId();
      candidate.backend = "cuda";
      candidate.author = "lowering";
      candidate.code =
          LowerInVariants(built.builder.graph(), built.module, kCudaBackend, 1)[0].text;
      candidate.verdict.status = VerdictStatus::kCorrect;
      candidate.verdict.backend = candidate.backend;
      Record answer;
      answer.kind = RecordKind::kCandidate;
      answer.payload = candidate.ToJson();
      answer.lineage.push_back({.step = "answer", .inputs = {candidate.task}});
      return {"key", Json(Json::Array{subject.Encode(), answer.Encode()}).Dump()};
    }
    ADD_FAILURE() << "no case " << name;
    return {};
  }

  static Outcome Processed(const PerturbOptions& options, const Input& input) {
    PerturbStep step(options);
    auto lane = step.OpenLane();
    EXPECT_TRUE(lane.ok());
    Result<Outcome> outcome = step.Process(input, **lane);
    EXPECT_TRUE(outcome.ok()) << outcome.status().message();
    return outcome.ok() ? *outcome : Outcome();
  }

  static PerturbOptions Options(FailureShares shares) {
    return {.seed = 3, .mutants = 3, .tries = 4, .shares = std::move(shares)};
  }
};

TEST_F(PerturbStepTest, KeepsWhatIsShownAndSaysWhatItCameFrom) {
  const Input input = InputOf("linear, gelu and a factor");
  const Outcome outcome =
      Processed(Options({{FailureClass::kBuild, 1}, {FailureClass::kNumerics, 1}}), input);
  ASSERT_EQ(outcome.fate, Fate::kKept);
  const Result<Json> given = Json::Parse(input.body);
  const Result<Record> answer = Record::Decode(given->as_array()[1].as_string());
  std::set<std::string> bugs;
  for (const Output& output : outcome.outputs) {
    const Result<Record> record = Record::Decode(output.body);
    ASSERT_TRUE(record.ok());
    const Result<Candidate> mutant = Candidate::FromJson(record->payload);
    ASSERT_TRUE(mutant.ok()) << mutant.status().message();
    const BugClass* const bug = FindBug(mutant->bug);
    ASSERT_NE(bug, nullptr);
    EXPECT_TRUE(ProvesBug(*bug, mutant->verdict, Verdict())) << mutant->verdict.ToJson().Pretty();
    EXPECT_TRUE(bugs.insert(mutant->bug).second);
    EXPECT_EQ(mutant->author, "perturbation");
    EXPECT_EQ(mutant->parent, answer->ContentId().Hex());
    ASSERT_EQ(record->lineage.size(), 2u);
    EXPECT_EQ(record->lineage[1].inputs, (std::vector<Digest>{mutant->task, answer->ContentId()}));
  }
  EXPECT_EQ(bugs.size(), 3u);
}

// The second run starts new workers and judges in another order.
TEST_F(PerturbStepTest, VerdictsAreTheSameTwice) {
  const RightText right = AtomicSum();
  std::vector<std::pair<const BugClass*, std::string>> mutants;
  for (const char* const name :
       {"missing_argument", "missing_semicolon", "swapped_arguments", "plain_update"}) {
    const BugClass* const bug = FindBug(name);
    ASSERT_NE(bug, nullptr) << name;
    for (const std::string& code : MutantTexts(*bug, *right.trees)) {
      mutants.emplace_back(bug, code);
      break;
    }
  }
  const auto judged = [&] {
    std::map<std::string, std::string> verdicts;
    ProofJudges judges(StoreUse::kIgnore);
    for (const auto& [bug, code] : mutants) {
      const Result<Verdict> verdict = judges.Verify(bug->proof, "cuda", right.reference, code);
      EXPECT_TRUE(verdict.ok()) << verdict.status().message();
      if (verdict.ok()) verdicts[code] = verdict->Reproducible().ToJson().Dump();
    }
    std::reverse(mutants.begin(), mutants.end());
    return verdicts;
  };
  const auto first = judged(), second = judged();
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.size(), 4u);
}

TEST_F(PerturbStepTest, DropsTasksWithoutAnAnswer) {
  PerturbStep step(Options({{FailureClass::kBuild, 1}}));
  Record subject;
  subject.kind = RecordKind::kTask;
  subject.payload = Task{.code = "import torch\n"}.ToJson();
  auto lane = step.OpenLane();
  const Result<Outcome> outcome =
      step.Process({"key", Json(Json::Array{subject.Encode()}).Dump()}, **lane);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->fate, Fate::kDropped);
  EXPECT_EQ(outcome->reason, "not_answered");
}

}  // namespace
}  // namespace kernelmill
