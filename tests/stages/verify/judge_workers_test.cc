#include "stages/verify/judge/judge_workers.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

constexpr char kAnswer[] =
    "import torch\nimport torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n"
    "    def forward(self, x):\n        return torch.relu(x)\n";

JudgeOptions OptionsFor(const KernelBackend& backend, std::shared_ptr<JudgeWorkers> workers) {
  JudgeOptions options;
  options.policy = *FindVerifyPolicy("kernelbench");
  options.backend = &backend;
  options.build = [](const ExtensionSources& sources) -> Result<BuiltExtension> {
    return Status(ErrorCode::kInternal, "nothing builds " + sources.name + " here");
  };
  options.workers = std::move(workers);
  return options;
}

std::string Say(Judge* judge) {
  const Result<Verdict> verdict = judge->Verify(TaskText("relu"), kAnswer);
  return verdict.ok() ? verdict->ToJson().Dump() : verdict.status().message();
}

KM_SHARED_SUITE(JudgeWorkersTest);

TEST(JudgeWorkersTest, JudgesShareProcesses) {
  const auto workers = std::make_shared<JudgeWorkers>();
  const JudgeOptions cuda = OptionsFor(kCudaBackend, workers);
  Result<Judge> first = Judge::Start(cuda);
  Result<Judge> second = Judge::Start(OptionsFor(kMusaBackend, workers));
  ASSERT_TRUE(first.ok() && second.ok());
  const TorchWorker* const process = *workers->ForCandidates({});
  const std::string said = Say(&*first);
  EXPECT_NE(said.find("\"status\":\"correct\""), said.npos) << said;
  EXPECT_NE(Say(&*second).find("\"backend\":\"musa\""), std::string::npos);
  EXPECT_EQ(Say(&*first), said);
  EXPECT_EQ(*workers->ForCandidates({}), process);
  EXPECT_NE(*workers->ForCandidates({.environment = {{"KERNELMILL_TEST", "1"}}}), process);
}

TEST(JudgeWorkersTest, WhatIsKnownOfAReferenceIsForItsCodeAndOptions) {
  JudgeWorkers workers;
  const auto seed = [&workers](const std::string& task, std::uint64_t of) {
    const Result<ReferenceRuns*> runs =
        workers.Reference(TaskText(task), {*FindVerifyPolicy("kernelbench"), of, true});
    EXPECT_TRUE(runs.ok() && !(*runs)->fault());
    return std::pair((*runs)->base().trials.front().seed, (*runs)->base().operators);
  };
  const auto relu = seed("relu", 42);
  EXPECT_EQ(seed("relu", 42), relu);
  EXPECT_NE(seed("relu", 7).first, relu.first);
  EXPECT_NE(seed("matmul", 7).second, relu.second);
}

TEST(JudgeWorkersTest, AJudgeGoesOnWhereTheyHaveEnded) {
  const auto workers = std::make_shared<JudgeWorkers>();
  Result<Judge> judge = Judge::Start(OptionsFor(kCudaBackend, workers));
  ASSERT_TRUE(judge.ok());
  const std::string said = Say(&*judge);
  workers->End();
  EXPECT_EQ(Say(&*judge), said);
}

}  // namespace
}  // namespace kernelmill
