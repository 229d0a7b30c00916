#include "corpora/records/candidate.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

Candidate Filled() {
  Candidate candidate;
  candidate.task = DigestOf("task");
  candidate.backend = "musa";
  candidate.code = "class ModelNew: pass\n";
  candidate.author = "perturbation";
  candidate.structure = "a_thread_an_element(0 1 )";
  candidate.parent = DigestOf("parent").Hex();
  candidate.bug = "missing_tail_guard";
  candidate.kernels.push_back({.function = "relu_forward",
                               .strategy = "a_thread_an_element",
                               .operators = {"relu", "mul"},
                               .head = "relu",
                               .kernels = {"relu_kernel"},
                               .mapping = "A thread computes an element.",
                               .index_type = "int",
                               .threads = 256,
                               .grid = "(n + 255) / 256",
                               .shared_bytes = 1024,
                               .flops = 7,
                               .bytes = 9,
                               .reasons = {{"blocks of 256 threads", "occupancy"}}});
  candidate.estimated_speed = 0.85;
  Verdict& verdict = candidate.verdict;
  verdict.status = VerdictStatus::kWrong;
  verdict.reason = "values";
  verdict.gate = "correctness";
  verdict.detail = "off by 0.5";
  verdict.policy = "strict";
  verdict.backend = "musa";
  verdict.verified_on = "cpu_executor";
  verdict.sizes = {{.id = 3, .names = {"batch"}, .value = 5}};
  verdict.findings = {{.reason = "tail", .file = "musa.mu", .line = 12, .detail = "n"}};
  verdict.trials = {{.shapes = "own", .values = "large", .layout = "offset", .passed = true}};
  verdict.launches = {{.kernel = "relu_kernel",
                       .count = 2,
                       .threads = 256,
                       .shared = 64,
                       .occupancy = 0.75,
                       .counts = VerdictCounts{.blocks = 4, .active_lanes = 31}}};
  verdict.device = {.compiler = "nvrtc 13",
                    .architecture = "sm_80",
                    .renamed = true,
                    .kernels = {{.kernel = "relu_kernel", .registers = 32}},
                    .unchecked = {"other"}};
  verdict.diagnosis = VerdictDiagnosis{.output = 1,
                                       .shape = {2, 3},
                                       .wrong = 4,
                                       .total = 6,
                                       .pattern = "tail",
                                       .where = "from row 1 on",
                                       .elements = {{{1, 2}, "0.5", "nan"}}};
  verdict.feedback = "0.5 is not nan";
  candidate.memory_checked = true;
  return candidate;
}

TEST(Candidate, IsWhatWasWritten) {
  const Candidate candidate = Filled();
  const Result<Candidate> read = Candidate::FromJson(candidate.ToJson());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->ToJson().Dump(), candidate.ToJson().Dump());
}

TEST(Candidate, RefusesWhatItDoesNotKnow) {
  Json json = Filled().ToJson();
  json["colour"] = "red";
  EXPECT_FALSE(Candidate::FromJson(json).ok());
  json = Filled().ToJson();
  json["verdict"]["status"] = "splendid";
  EXPECT_FALSE(Candidate::FromJson(json).ok());
}

TEST(Verdict, HoldsNoNumberOfTorchsOnceReproducible) {
  const std::string text = Filled().verdict.Reproducible().ToJson().Dump();
  EXPECT_EQ(text.find("0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("from row 1 on"), std::string::npos);
}

// A slow answer is trained only if it shows how one operator is computed.
TEST(Candidate, SlowOnesAreTaughtForOneOperatorOnly) {
  Candidate answer;
  answer.verdict.status = VerdictStatus::kCorrect;
  answer.kernels.push_back({.operators = {"sort"}});
  for (const double speed : {0.0, 0.01, 0.29, 0.3, 2.0}) {
    answer.estimated_speed = speed;
    EXPECT_TRUE(answer.IsTaught()) << speed;
  }
  Candidate fused = answer, two = answer;
  fused.kernels[0].operators.emplace_back("mul");
  two.kernels.push_back({.operators = {"mul"}});
  for (Candidate* several : {&fused, &two}) {
    for (const double speed : {0.01, 0.29}) {
      several->estimated_speed = speed;
      EXPECT_FALSE(several->IsTaught()) << speed;
      EXPECT_TRUE(several->IsAnswer());
    }
    for (const double speed : {0.0, 0.3, 2.0}) {
      several->estimated_speed = speed;
      EXPECT_TRUE(several->IsTaught()) << speed;
    }
  }
  answer.bug = "tiny_blocks";
  EXPECT_FALSE(answer.IsTaught());
}

}  // namespace
}  // namespace kernelmill
