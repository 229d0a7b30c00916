// Rounds of the retry buffer over a run's steps: "join" is the real one, and the verdicts are
// given.
#include "stages/buffer/buffer_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "corpora/benchmark_table.h"
#include "corpora/reject.h"
#include "manifests/commit_file.h"
#include "stages/join/join_step.h"
#include "stages/samples/joined_sample.h"
#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"
#include "tests/stages/retry/retry_samples.h"
#include "tests/stages/samples/given_step.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// What a model wrote, and the verdict on it.
struct Written {
  std::string task, code;
  Verdict verdict;
  std::string retry = "";  // The name of the buffer whose repair prompt it answers.
};

class BufferStepTest : public testing::Test {
 protected:
  BufferStepTest() {
    for (DescribedModule* module : {&one_, &two_, &three_}) {
      std::map<Digest, std::string> records;
      module->AddTo(&records);
    }
    options_.retry.min_scored = 1;
    options_.retry.max_probability = 1;
    options_.retry.full_at = 1;
  }

  std::shared_ptr<const RetryFolder> Round(const std::vector<Written>& samples,
                                           std::shared_ptr<const RetryFolder> previous = nullptr) {
    Result<RetryFolder> retry = TryRound(samples, previous);
    EXPECT_TRUE(retry.ok()) << retry.status().message();
    return std::make_shared<const RetryFolder>(std::move(retry).value());
  }

  // One round, whose folder is written and read again.
  Result<RetryFolder> TryRound(const std::vector<Written>& samples,
                               std::shared_ptr<const RetryFolder> previous) {
    const std::string output = folder_.path() + "/" + std::to_string(++rounds_);
    kernelmill::Run run =
        kernelmill::Run::Open({.output = output, .jobs = 2, .partitions = 3}).value();
    RunTasks tasks;
    std::vector<std::pair<std::string, std::string>> recalled, admitted, verdicts;
    for (const DescribedModule* module : {&one_, &two_, &three_}) {
      tasks.names.Add(module->task);
      tasks.records.emplace(module->task.ContentId(), module->task);
      recalled.push_back(EncodedRecord(module->task));
      admitted.push_back(EncodedRecord(module->task));
      admitted.push_back(EncodedRecord(module->annotation));
    }
    Give(run, "recall", recalled);
    Give(run, "admit", admitted);
    KM_RETURN_IF_ERROR(Join(run, std::move(tasks), samples, previous));
    const auto judge = [&](std::string_view key, std::string_view body) -> Status {
      KM_ASSIGN(const Json json, Json::Parse(body));
      KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
      const Written& written = samples.at(static_cast<std::size_t>(joined.place.line - 1));
      verdicts.emplace_back(
          key,
          Json(Json::Object{{"key", joined.key}, {"verdict", written.verdict.ToJson()}}).Dump());
      joined_.push_back(Sample::FromJson(joined.record.payload).value());
      return Status::Ok();
    };
    KM_RETURN_IF_ERROR(run.ForEachOutput("join", judge));
    Give(run, "verify", verdicts);
    BufferStep step(options_, previous);
    KM_ASSIGN(counts_, run.Do(step, step.Inputs(run)));
    EXPECT_EQ(counts_.in, counts_.kept + counts_.Dropped());
    KM_ASSIGN(RetryFolder retry, RetryFolderOf(run, previous.get()));
    path_ = output + "/retry";
    KM_RETURN_IF_ERROR(WriteRetryFolder(path_, &retry));
    return ReadRetryFolder(path_);
  }

  Status Join(kernelmill::Run& run, RunTasks tasks, const std::vector<Written>& samples,
              std::shared_ptr<const RetryFolder> previous) {
    joined_.clear();
    rejected_.clear();
    std::string lines;
    for (const Written& sample : samples) {
      Json line = Json::Object{{"task", sample.task}, {"code", sample.code}};
      if (!sample.retry.empty()) line["retry"] = sample.retry;
      lines += line.Dump() + "\n";
    }
    std::vector<SampleSource> sources(1);
    sources[0].name = "samples";
    sources[0].path = folder_.path() + "/samples";
    sources[0].format = FindSampleFormat("plain").value();
    sources[0].licence = "MIT";
    KM_RETURN_IF_ERROR(ReplaceFile(sources[0].path, lines));
    JoinStep step(std::move(tasks), "cuda", std::move(previous));
    KM_RETURN_IF_ERROR(run.Do(step, step.Inputs(sources, nullptr)).status());
    return run.ForEachReject("join", [&](std::string_view, std::string_view bytes) -> Status {
      KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
      rejected_[reject.reason] = reject.detail;
      return Status::Ok();
    });
  }

  // The fate and the reason of each task's item, by its name.
  std::map<std::string, std::string> FatesIn(const RetryFolder& retry) const {
    std::map<std::string, std::string> fates;
    for (const RetryItem& item : retry.items) {
      const std::string name = item.key.task == one_.task.ContentId()   ? "one"
                               : item.key.task == two_.task.ContentId() ? "two"
                                                                        : "three";
      EXPECT_TRUE(
          fates.emplace(name, std::string(RetryFateName(item.fate)) + " " + item.reason).second);
    }
    return fates;
  }

  DescribedModule one_{.name = "one"}, two_{.name = "two"}, three_{.name = "three"};
  BufferOptions options_;
  StepCounts counts_;
  std::vector<Sample> joined_;
  std::map<std::string, std::string> rejected_;  // Details by reason.
  std::string path_;                             // Of the last folder retry/.

 private:
  TemporaryFolder folder_;
  int rounds_ = 0;
};

TEST_F(BufferStepTest, TasksEnterReturnAndLeave) {
  const auto first = Round({{"one", "a", Wrong(1)},
                            {"one", "b", Wrong(3)},
                            {"two", "c", NotBuilt()},
                            {"three", "d", Wrong(0)},
                            {"three", "e", Correct()}});
  EXPECT_THAT(FatesIn(*first),
              UnorderedElementsAre(Pair("one", "kept entered"), Pair("two", "kept entered")));
  EXPECT_EQ(first->file.generation.round, 1);
  ASSERT_EQ(first->requests.size(), 2u);
  const RepairRequest* const asked = first->RequestFor({one_.task.ContentId(), "cuda"});
  ASSERT_NE(asked, nullptr);
  ASSERT_GE(asked->messages.size(), 3u);  // A system message may come first.
  EXPECT_THAT(asked->messages[asked->messages.size() - 2].content,
              HasSubstr("b"));  // It came closest.

  const std::string name = RetryName(first->file.digest);
  const auto second = Round({{"one", "f", Correct(), name},
                             {"two", "g", NotBuilt(), name},
                             {"three", "h", NotBuilt()},
                             {"one", "i", Wrong(0), "000000000000"}},
                            first);
  EXPECT_THAT(FatesIn(*second),
              UnorderedElementsAre(Pair("one", "graduated solved"), Pair("two", "kept returned"),
                                   Pair("three", "kept entered")));
  EXPECT_THAT(rejected_, UnorderedElementsAre(Pair("another_round", HasSubstr("000000000000"))));
  EXPECT_EQ(second->previous, first->digest);
  EXPECT_THAT(counts_.dropped, UnorderedElementsAre(Pair("solved", 1)));
  // The answer to a repair prompt knows what it was asked, and what it repairs.
  for (const Sample& sample : joined_) {
    EXPECT_EQ(sample.repairs.has_value(), sample.task != three_.task.ContentId());
    EXPECT_EQ(sample.turn, sample.repairs ? 2 : 1);
    if (sample.task != one_.task.ContentId()) continue;
    EXPECT_EQ(sample.prompt, asked->messages);
    EXPECT_EQ(sample.repairs, asked->sample);
  }

  const auto third = Round({{"two", "j", Wrong(1), RetryName(second->file.digest)}}, second);
  EXPECT_THAT(FatesIn(*third),
              UnorderedElementsAre(Pair("two", "dropped parked"), Pair("three", "kept waits")));
  EXPECT_EQ(third->file.generation.parked.size(), 1u);
  // Whatever was said of a task before, it is not asked about twice in a round.
  EXPECT_EQ(third->requests.size(), 1u);
  EXPECT_EQ(Round({{"two", "k", Correct()}}, third)->file.generation.parked.size(), 0u);
}

TEST_F(BufferStepTest, TheOrderOfSamplesDoesNotMatter) {
  std::vector<Written> samples = {{"one", "a", Wrong(1)},
                                  {"two", "c", NotBuilt()},
                                  {"one", "b", Wrong(1)},
                                  {"three", "e", Wrong(2)}};
  const Digest digest = Round(samples)->digest;
  std::reverse(samples.begin(), samples.end());
  EXPECT_EQ(Round(samples)->digest, digest);
}

TEST_F(BufferStepTest, FailedTasksThatMustNotEnterAreCounted) {
  two_.task.attributes[kProtectedAttribute] = "bench 7";
  options_.retry.min_scored = 2;
  const std::vector<Written> samples = {{"one", "a", Wrong(1)},
                                        {"two", "b", Wrong(1)},
                                        {"two", "c", Wrong(1)},
                                        {"three", "", NotBuilt()},
                                        {"three", "<|im_end|>", NotBuilt()}};
  const auto first = Round(samples);
  EXPECT_THAT(FatesIn(*first), UnorderedElementsAre(Pair("one", "dropped too_few_scored"),
                                                    Pair("two", "dropped protected"),
                                                    Pair("three", "dropped no_code")));
  EXPECT_THAT(first->requests, IsEmpty());
  // A run that allows problems of benchmarks keeps them; one that does not refuses its buffer.
  options_.allow_protected = true;
  const auto allowed = Round(samples);
  EXPECT_EQ(FatesIn(*allowed).at("two"), "kept entered");
  options_.allow_protected = false;
  const Status refused = TryRound({{"one", "a", Wrong(1)}}, allowed).status();
  EXPECT_EQ(refused.code(), ErrorCode::kConfig);
  EXPECT_THAT(refused.message(), HasSubstr("allow_protected"));
}

TEST_F(BufferStepTest, APromptOverTheBudgetIsNotAsked) {
  options_.max_tokens = 20;
  const auto first = Round({{"one", "a", Wrong(1)}});
  EXPECT_THAT(first->requests, IsEmpty());
  EXPECT_EQ(FatesIn(*first).at("one"), "kept entered");
  EXPECT_THAT(counts_.counters, testing::Contains(Pair("over_budget", 1)));
}

TEST_F(BufferStepTest, AChangedFolderIsRefused) {
  Round({{"one", "a", Wrong(1)}, {"two", "b", Wrong(2)}});
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    const std::string path = entry.path();
    const std::string bytes = ReadFile(path).value();
    // Each byte of a short file, and some of a long one.
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 60) {
      std::string damaged = bytes;
      damaged[at] ^= 1;
      ASSERT_TRUE(ReplaceFile(path, damaged).ok());
      const Status status = ReadRetryFolder(path_).status();
      // An edited round.json is that of another round, unless it contradicts what is beside it.
      if (path.ends_with("round.json") && status.ok()) continue;
      EXPECT_EQ(status.code(), ErrorCode::kCorrupt) << path << " " << at;
      EXPECT_THAT(status.message(), HasSubstr(path_));
    }
    std::filesystem::remove(path);
    EXPECT_FALSE(ReadRetryFolder(path_).ok());
    ASSERT_TRUE(ReplaceFile(path, bytes).ok());
  }
  EXPECT_TRUE(ReadRetryFolder(path_).ok());
}

}  // namespace
}  // namespace kernelmill
