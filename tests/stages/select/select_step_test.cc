#include "stages/select/select_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "corpora/benchmark_table.h"
#include "corpora/records/candidate.h"
#include "corpora/reject.h"
#include "stages/samples/joined_sample.h"
#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"
#include "tests/stages/samples/given_step.h"

namespace kernelmill {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// A message with an answer whose kernel has a barrier for each of `barriers`.
std::string Answer(int barriers, const std::string& note = "") {
  std::string kernel = "__global__ void f(float* y) {\n";
  for (int i = 0; i < barriers; ++i) kernel += "  __syncthreads();\n";
  return note + "```python\nsource = \"\"\"\n" + kernel +
         "  y[threadIdx.x] = 1;\n}\nvoid run(float* y) { f<<<1, 32>>>(y); }\n\"\"\"\n"
         "class ModelNew: pass\n```\n";
}

class SelectStepTest : public testing::Test {
 protected:
  SelectStepTest() {
    std::map<Digest, std::string> records;
    module_.AddTo(&records);
  }

  void Add(const std::string& message, VerdictStatus status, bool cut = false) {
    Sample sample{.task = module_.task.ContentId(),
                  .backend = "cuda",
                  .model = "toy",
                  .message = message,
                  .cut = cut};
    JoinedSample joined;
    joined.key = std::to_string(samples_.size());
    joined.record = module_.task;
    joined.record.kind = RecordKind::kSample;
    joined.record.payload = sample.ToJson();
    joined.record.lineage = {{.step = "join", .inputs = {sample.task}}};
    Verdict verdict;
    verdict.status = status;
    verdict.backend = "cuda";
    samples_.emplace_back(joined, verdict);
  }

  // Runs the step on what was added.
  void Select(SelectOptions options = {}) {
    std::filesystem::remove_all(folder_.path() + "/run");
    kernelmill::Run run = kernelmill::Run::Open({.output = folder_.path() + "/run", .jobs = 2, .partitions = 3}).value();
    std::vector<std::pair<std::string, std::string>> joined, verdicts;
    for (const auto& [sample, verdict] : samples_) {
      joined.emplace_back(sample.key, sample.ToJson().Dump());
      verdicts.emplace_back(
          sample.key,
          Json(Json::Object{{"key", sample.key}, {"verdict", verdict.ToJson()}}).Dump());
    }
    Give(run, "recall", {EncodedRecord(module_.task)});
    Give(run, "admit", {EncodedRecord(module_.task), EncodedRecord(module_.annotation)});
    Give(run, "join", joined);
    Give(run, "verify", verdicts);
    SelectStep step(std::move(options));
    const Result<StepCounts> counts = run.Do(step, step.Inputs(run));
    ASSERT_TRUE(counts.ok()) << counts.status().message();
    counts_ = *counts;
    EXPECT_EQ(counts_.in, static_cast<std::int64_t>(samples_.size()));
    EXPECT_EQ(counts_.in, counts_.kept + counts_.Dropped() + counts_.Rejected());
    kept_.clear();
    EXPECT_TRUE(run.ForEachOutput("select",
                                  [&](std::string_view, std::string_view body) {
                                    kept_.push_back(Record::Decode(body).value());
                                    return Status::Ok();
                                  })
                    .ok());
  }

  std::map<std::string, int> Kinds() const {
    std::map<std::string, int> kinds;
    for (const Record& record : kept_) ++kinds[std::string(RecordKindName(record.kind))];
    return kinds;
  }

  DescribedModule module_;
  StepCounts counts_;
  std::vector<Record> kept_;

 private:
  TemporaryFolder folder_;
  std::vector<std::pair<JoinedSample, Verdict>> samples_;
};

TEST_F(SelectStepTest, EverySampleIsKeptOrHasAReason) {
  Add(Answer(0), VerdictStatus::kCorrect);
  Add(Answer(0, "Again.\n"), VerdictStatus::kCorrect);
  Add(Answer(1), VerdictStatus::kCorrect, /*cut=*/true);
  Add(Answer(2), VerdictStatus::kIllegal);
  Add(Answer(3), VerdictStatus::kWrong);
  Add("No code.", VerdictStatus::kNoAnswer);
  Add(Answer(4), VerdictStatus::kUndecided);
  Add(Answer(5, "<|im_end|>"), VerdictStatus::kCorrect);
  Select();
  EXPECT_EQ(counts_.kept, 2);
  EXPECT_THAT(counts_.counters, testing::IsSupersetOf({Pair("selected", 1), Pair("repaired", 1)}));
  EXPECT_THAT(counts_.dropped, UnorderedElementsAre(Pair("same_structure", 1),
                                                    Pair("not_correct", 2), Pair("not_judged", 1)));
  EXPECT_THAT(counts_.rejected, UnorderedElementsAre(Pair("cut_off", 1), Pair("chat_marker", 1)));
  EXPECT_THAT(Kinds(), UnorderedElementsAre(Pair("task", 1), Pair("annotation", 1),
                                            Pair("sample", 2), Pair("candidate", 2)));
}

TEST_F(SelectStepTest, ASelectedSampleKnowsItsPoolAndItsCandidateKnowsIt) {
  Add(Answer(0), VerdictStatus::kCorrect);
  Select();
  const Record *sample = nullptr, *candidate = nullptr;
  for (const Record& record : kept_) {
    if (record.kind == RecordKind::kSample) sample = &record;
    if (record.kind == RecordKind::kCandidate) candidate = &record;
  }
  ASSERT_TRUE(sample != nullptr && candidate != nullptr);
  const Json attributes(sample->attributes);
  EXPECT_EQ(attributes.TextAt(kPoolAttribute).size(), 64);
  EXPECT_EQ(attributes.IntegerAt(kPoolSizeAttribute), 1);
  const Candidate judged = Candidate::FromJson(candidate->payload).value();
  EXPECT_EQ(judged.author, "model");
  EXPECT_EQ(candidate->lineage.back().inputs,
            (std::vector{module_.task.ContentId(), sample->ContentId()}));
  // The secret of the judge differs between runs, so no record depends on it.
  EXPECT_EQ(candidate->lineage.back().parameters, DigestOf("{}"));
}

TEST_F(SelectStepTest, MistakesAreRepairedOnlyWhereASampleShowsHow) {
  for (int i = 0; i < 4; ++i) Add(Answer(i), VerdictStatus::kWrong);
  Select();
  EXPECT_EQ(counts_.dropped.at("not_correct"), 4);
  EXPECT_THAT(kept_, IsEmpty());
  Add(Answer(9), VerdictStatus::kCorrect);
  Select({.repairs = 3});
  EXPECT_EQ(counts_.kept, 4);
  EXPECT_EQ(counts_.dropped.at("not_correct"), 1);
  Select({.repairs = 0});
  EXPECT_EQ(counts_.kept, 1);
}

TEST_F(SelectStepTest, ProblemsOfBenchmarksAreTrainedOnlyWhenAllowed) {
  module_.task.attributes[kProtectedAttribute] = "kernelbench/level1/19_ReLU";
  Add(Answer(0), VerdictStatus::kCorrect);
  Select();
  EXPECT_EQ(counts_.dropped.at("protected"), 1);
  Select({.allow_protected = true});
  EXPECT_EQ(counts_.kept, 1);
}

}  // namespace
}  // namespace kernelmill
