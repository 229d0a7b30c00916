#include "stages/join/join_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "corpora/reject.h"
#include "manifests/commit_file.h"
#include "stages/samples/joined_sample.h"
#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Record TaskCalled(const std::string& name) {
  DescribedModule module{.name = name};
  std::map<Digest, std::string> records;
  module.AddTo(&records);
  return module.task;
}

std::string Plain(const std::string& task, const std::string& code, const std::string& more = "") {
  return R"({"task": ")" + task + R"(", "code": ")" + code + "\"" + more + "}";
}

class JoinStepTest : public testing::Test {
 protected:
  // Joins the samples of these files, each with these lines, to the tasks "one" and "two".
  void Join(const std::vector<std::vector<std::string>>& files) {
    std::filesystem::remove_all(folder_.path() + "/run");
    kernelmill::Run run = kernelmill::Run::Open({.output = folder_.path() + "/run", .jobs = 2, .partitions = 3}).value();
    std::vector<SampleSource> sources;
    for (const std::vector<std::string>& lines : files) {
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      SampleSource& source = sources.emplace_back();
      source.name = "file" + std::to_string(sources.size());
      source.path = folder_.path() + "/" + source.name;
      source.format = FindSampleFormat("plain").value();
      source.licence = "MIT";
      ASSERT_TRUE(ReplaceFile(source.path, text).ok());
    }
    RunTasks tasks;
    for (const Record& record : {one_, two_}) {
      tasks.names.Add(record);
      tasks.records.emplace(record.ContentId(), record);
    }
    JoinStep step(std::move(tasks), "cuda");
    const Result<StepCounts> counts = run.Do(step, step.Inputs(sources, nullptr));
    ASSERT_TRUE(counts.ok()) << counts.status().message();
    counts_ = *counts;
    EXPECT_EQ(counts_.in, counts_.kept + counts_.Rejected());
    joined_.clear();
    rejects_.clear();
    EXPECT_TRUE(run.ForEachOutput("join",
                                  [&](std::string_view, std::string_view body) {
                                    joined_.push_back(
                                        JoinedSample::FromJson(Json::Parse(body).value()).value());
                                    return Status::Ok();
                                  })
                    .ok());
    EXPECT_TRUE(run.ForEachReject("join",
                                  [&](std::string_view, std::string_view bytes) {
                                    rejects_.push_back(Reject::Decode(bytes).value());
                                    return Status::Ok();
                                  })
                    .ok());
  }

  std::multiset<Digest> Contents() const {
    std::multiset<Digest> ids;
    for (const JoinedSample& sample : joined_) ids.insert(sample.record.RecordDigest());
    return ids;
  }

  const Record one_ = TaskCalled("one"), two_ = TaskCalled("two");
  TemporaryFolder folder_;
  StepCounts counts_;
  std::vector<JoinedSample> joined_;
  std::vector<Reject> rejects_;
};

TEST_F(JoinStepTest, SamplesNameTasksByIdOrName) {
  Join({{Plain("one", "a"), Plain(two_.ContentId().Hex(), "b"),
         Plain(two_.ContentId().Hex().substr(0, 12), "c")}});
  EXPECT_EQ(counts_.kept, 3);
  std::multiset<Digest> tasks;
  for (const JoinedSample& sample : joined_) {
    const Sample read = Sample::FromJson(sample.record.payload).value();
    tasks.insert(read.task);
    EXPECT_EQ(read.backend, "cuda");
    EXPECT_EQ(read.model, kUnknownModel);
    EXPECT_TRUE(sample.record.origins.front().sampled() || sample.record.origins.back().sampled());
    EXPECT_EQ(sample.record.lineage.back().inputs, std::vector{read.task});
  }
  EXPECT_EQ(tasks.count(one_.ContentId()), 1);
  EXPECT_EQ(tasks.count(two_.ContentId()), 2);
}

TEST_F(JoinStepTest, WhatIsNoSampleIsRejectedWithItsBytes) {
  const std::string malformed = R"({"task": "one", "code": 7})", unknown = Plain("three", "x");
  Join({{Plain("one", "a"), malformed, unknown, "", "not JSON"}});
  EXPECT_EQ(counts_.in, 4);
  EXPECT_EQ(counts_.rejected,
            (std::map<std::string, std::int64_t>{{"bad_sample", 2}, {"unknown_task", 1}}));
  std::vector<std::string> bytes;
  for (const Reject& reject : rejects_) bytes.push_back(reject.original);
  EXPECT_THAT(bytes, UnorderedElementsAre(malformed, unknown, "not JSON"));
}

TEST_F(JoinStepTest, LinesTooLongForAValueAreRejectedAndOthersKept) {
  constexpr std::size_t kMega = std::size_t{1} << 20;
  // A byte of the first is six of JSON, and one of the third two digits; the second is well-formed.
  const std::vector<std::string> lines = {
      Plain("one", std::string(44 * kMega, '\1')), Plain("one", std::string(40 * kMega, '\\')),
      Plain("one", std::string(40 * kMega, '\xff')), Plain("one", "a")};
  Join({lines});
  EXPECT_EQ(counts_.kept, 1);
  EXPECT_EQ(counts_.rejected, (std::map<std::string, std::int64_t>{
                                  {"bad_sample", 1}, {"not_utf8", 1}, {"too_large", 1}}));
  for (const Reject& reject : rejects_) {
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const std::string& one) {
      return one.starts_with(reject.original);
    });
    ASSERT_NE(line, lines.end());
    EXPECT_THAT(reject.detail, testing::StartsWith("file1:"));
    EXPECT_THAT(reject.detail, testing::HasSubstr(DigestOf(*line).Hex()));
  }
}

TEST_F(JoinStepTest, APromptThatIsNoQuestionIsLeftOutAndCounted) {
  const auto prompt = [](const std::string& messages) {
    return Plain("one", "a", R"(, "prompt": [)" + messages + "]");
  };
  const auto said = [](const std::string& role, const std::string& content) {
    return R"({"role": ")" + role + R"(", "content": ")" + content + "\"}";
  };
  const std::string question = said("user", "q"), answer = said("assistant", "a");
  for (const std::string& used :
       {question, said("system", "s") + "," + question, question + "," + answer + "," + question}) {
    Join({{prompt(used)}});
    ASSERT_EQ(counts_.kept, 1) << used;
    EXPECT_EQ(counts_.counters.count(kUnusablePrompts), 0u) << used;
    EXPECT_FALSE(Sample::FromJson(joined_[0].record.payload)->prompt.empty()) << used;
  }
  for (const std::string& unused :
       {said("system", "s"), said("user", ""), said("user", " \\n"), question + "," + answer,
        question + "," + said("tool", "t"), question + "," + said("user", ""),
        said("developer", "d") + "," + question}) {
    Join({{prompt(unused)}});
    ASSERT_EQ(counts_.kept, 1) << unused;
    EXPECT_EQ(counts_.counters.at(kUnusablePrompts), 1) << unused;
    EXPECT_TRUE(Sample::FromJson(joined_[0].record.payload)->prompt.empty()) << unused;
  }
  Join({{prompt(said("root", "x")), Plain("one", "b")}});
  EXPECT_EQ(counts_.rejected, (std::map<std::string, std::int64_t>{{"bad_sample", 1}}));
}

TEST_F(JoinStepTest, TheOrderOfLinesDoesNotMatter) {
  std::vector<std::string> lines = {Plain("one", "a"),
                                    Plain("one", "b"),
                                    Plain("one", "b"),
                                    Plain("one", "c", R"(, "id": "x")"),
                                    Plain("one", "d", R"(, "id": "x")"),
                                    Plain("two", "e", R"(, "attempt": 0)"),
                                    Plain("two", "f", R"(, "attempt": 0)"),
                                    Plain("two", "g")};
  Join({lines});
  const std::multiset<Digest> contents = Contents();
  EXPECT_EQ(counts_.kept, 6);
  EXPECT_EQ(counts_.rejected, (std::map<std::string, std::int64_t>{{"duplicate_sample", 2}}));
  for (int turn = 0; turn < 4; ++turn) {
    std::rotate(lines.begin(), lines.begin() + 1, lines.end());
    if (turn == 2) std::reverse(lines.begin(), lines.end());
    Join({lines});
    EXPECT_EQ(Contents(), contents);
  }
}

TEST_F(JoinStepTest, AttemptsOfTheSecondFileFollowThoseOfTheFirst) {
  Join({{Plain("one", "a", R"(, "attempt": 3)")},
        {Plain("one", "b", R"(, "attempt": 3)"), Plain("one", "c")}});
  std::vector<std::int64_t> attempts;
  for (const JoinedSample& sample : joined_) attempts.push_back(sample.attempt);
  EXPECT_THAT(attempts, UnorderedElementsAre(3, 7, 5));
  EXPECT_THAT(rejects_, IsEmpty());
}

TEST(SampleTasks, AnAmbiguousNameIsNoTask) {
  SampleTasks tasks;
  const Record one = TaskCalled("same");
  Record two = TaskCalled("other");
  two.attributes["name"] = "same";
  tasks.Add(one);
  EXPECT_EQ(tasks.Find("same").value(), one.ContentId());
  tasks.Add(two);
  EXPECT_EQ(tasks.Find("same").status().code(), ErrorCode::kUsage);
  EXPECT_EQ(tasks.Find("nothing").status().code(), ErrorCode::kNotFound);
  tasks.AddAlias(two.ContentId(), one.ContentId());
  EXPECT_EQ(tasks.Find("same").value(), one.ContentId());
}

TEST(SampleTasks, ProblemsOfKernelBenchHaveTheirNames) {
  Record task = TaskCalled("19_ReLU");
  Origin origin;
  origin.url = "https://example.org/bench";
  origin.path = "level1/19_ReLU.py";
  origin.sha256 = std::string(64, 'a');
  task.origins = {origin};
  SampleTasks tasks;
  tasks.Add(task);
  EXPECT_EQ(tasks.Find("level_1_problem_19").value(), task.ContentId());
}

}  // namespace
}  // namespace kernelmill
