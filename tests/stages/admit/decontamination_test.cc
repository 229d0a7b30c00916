// Tests that problems of benchmarks are kept out, with the real worker.
#include "stages/admit/decontamination.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corpora/records/task.h"
#include "generators/graphs/generated_task.h"
#include "stages/admit/admit_keys.h"
#include "stages/admit/admit_step.h"
#include "tests/shared_suite.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

// A problem in the form that benchmarks use.
std::string Problem(const std::string& layers, const std::string& forward, int rows = 16) {
  return "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
         "class Model(nn.Module):\n    def __init__(self, width, features):\n"
         "        super().__init__()\n        " +
         layers + "\n\n    def forward(self, x):\n        return " + forward +
         "\n\n\nrows, width, features = " + std::to_string(rows) +
         ", 32, 24\n\n\ndef get_inputs():\n    return [torch.rand(rows, width)]\n\n\n"
         "def get_init_inputs():\n    return [width, features]\n";
}
constexpr char kLayers[] = "self.linear = nn.Linear(width, features); self.act = nn.GELU()";
constexpr char kForward[] = "torch.softmax(self.act(self.linear(x)), dim=1)";

Record RecordOf(const std::string& code) {
  Task task;
  task.code = code;
  Record record = TaskRecord(task);
  record.origins = {{"https://example.org/a"}};
  return record;
}

class DecontaminationTest : public WorkerSuite<> {
 protected:
  static void SetUpTestSuite() {
    WorkerSuite::SetUpTestSuite();
    ASSERT_NE(worker_, nullptr);
    for (const bool patterns : {false, true}) {
      AdmitOptions options{.seed = 7};
      options.benchmarks.tables = {TableOf("exam", "level2/1_Linear", Problem(kLayers, kForward))};
      options.benchmarks.patterns = patterns;
      steps_[patterns] = new AdmitStep(options);
    }
    lane_ = steps_[0]->OpenLane().value().release();
  }
  static void TearDownTestSuite() {
    delete lane_;
    for (const AdmitStep* step : steps_) delete step;
    WorkerSuite::TearDownTestSuite();
  }

  static std::shared_ptr<const BenchmarkTable> TableOf(const std::string& name,
                                                       const std::string& problem,
                                                       const std::string& code) {
    const auto graph = CaptureFingerprint(code, worker_);
    EXPECT_TRUE(graph.ok()) << graph.status().message();
    const auto table = BenchmarkTable::Parse(
        name, std::string(kBenchmarkTableHead) + BenchmarkLine(problem, *graph, CodeFingerprint(code)));
    EXPECT_TRUE(table.ok()) << table.status().message();
    return std::make_shared<const BenchmarkTable>(*table);
  }
  static GraphFingerprint Fingerprint(const std::string& code) {
    Result<std::optional<GraphFingerprint>> fingerprint = CaptureFingerprint(code, worker_);
    EXPECT_TRUE(fingerprint.ok() && *fingerprint) << code;
    return fingerprint.ok() && *fingerprint ? **fingerprint : GraphFingerprint();
  }
  static Outcome Admit(const std::string& code, bool patterns = false) {
    return steps_[patterns]->Process({"key", RecordOf(code).Encode()}, *lane_).value();
  }
  static std::string TierOf(const Outcome& outcome) {
    EXPECT_EQ(outcome.fate, Fate::kKept) << outcome.reason << ": " << outcome.detail;
    if (outcome.outputs.empty()) return "";
    const Record record = Record::Decode(outcome.outputs[0].body).value();
    const std::string tier = record.attributes.at(kOverlapAttribute).as_string();
    std::vector<std::pair<std::string, std::int64_t>> counters = {{"benchmark." + tier, 1}};
    if (tier.starts_with('T')) {
      counters.insert(counters.begin(),
                      {{counters[0].first + ".exam", 1},
                       {"benchmark_problem." + tier + ".exam/level2/1_Linear", 1}});
    }
    EXPECT_EQ(outcome.counters, counters);
    return tier;
  }

  static AdmitStep* steps_[2];  // [0] rejects T1 only, [1] rejects T2 too.
  static Lane* lane_;
};
AdmitStep* DecontaminationTest::steps_[2] = {};
Lane* DecontaminationTest::lane_ = nullptr;

KM_SHARED_SUITE(DecontaminationTest);

TEST_F(DecontaminationTest, TheGraphAndShapesOfAProblemAreRejected) {
  // Other texts with the same graph.
  for (const std::string& code :
       {Problem("self.out = nn.Linear(width, features)", "F.gelu(self.out(x)).softmax(1)"),
        Problem("self.out = nn.Linear(width, features)",
                "F.softmax(input=F.gelu(input=self.out(x)), dim=-1)")}) {
    const Outcome outcome = Admit(code);
    EXPECT_EQ(outcome.fate, Fate::kRejected);
    EXPECT_EQ(outcome.reason, "benchmark");
    EXPECT_EQ(outcome.detail, "T1 exam/level2/1_Linear");
    EXPECT_EQ(outcome.original, code);
    EXPECT_EQ(outcome.origins.at(0).url, "https://example.org/a");
    EXPECT_EQ(outcome.counters, (std::vector<std::pair<std::string, std::int64_t>>{
                                    {"benchmark.T1.exam", 1},
                                    {"benchmark_problem.T1.exam/level2/1_Linear", 1},
                                    {"benchmark.T1", 1}}));
  }
}

TEST_F(DecontaminationTest, TheTextOfAProblemIsRejected) {
  EXPECT_EQ(Admit(Problem(kLayers, kForward)).detail,
            "T0 exam/level2/1_Linear, 1.00 of the text");
  // Of so short a text, other sizes are a large part.
  EXPECT_EQ(TierOf(Admit(Problem(kLayers, kForward, /*rows=*/20))), "T2");
}

TEST_F(DecontaminationTest, OtherShapesAreCountedOrRefused) {
  const std::string code = Problem("self.out = nn.Linear(width, features)",
                                   "F.gelu(self.out(x)).softmax(1)", /*rows=*/20);
  EXPECT_EQ(TierOf(Admit(code)), "T2");
  EXPECT_EQ(Admit(code, /*patterns=*/true).detail, "T2 exam/level2/1_Linear");
}

// Every table is asked, and says itself what it found.
TEST_F(DecontaminationTest, EachTableHasItsCounters) {
  const std::string code = Problem(kLayers, kForward);
  Decontamination benchmarks;
  benchmarks.tables = {TableOf("far", "a", Problem(kLayers, "self.linear(x)")),
                       TableOf("sizes", "b", Problem("self.out = nn.Linear(width, features)",
                                                     "F.gelu(self.out(x)).softmax(1)", 20)),
                       TableOf("exam", "c", code)};
  const auto fingerprints = FingerprintsOf(RecordOf(code), worker_);
  ASSERT_TRUE(fingerprints.ok());
  const TaskOverlap overlap = Compare(*fingerprints, benchmarks);
  EXPECT_EQ(overlap.Text(), "T0 exam/c, 1.00 of the text");
  EXPECT_EQ(overlap.counters, (std::vector<std::string>{
                                  "benchmark.T2.sizes", "benchmark_problem.T2.sizes/b",
                                  "benchmark.T0.exam", "benchmark_problem.T0.exam/c",
                                  "benchmark.T0"}));
}

TEST_F(DecontaminationTest, TheSameOperatorsAreCounted) {
  const std::string turned =
      Problem("self.linear = nn.Linear(width, features)", "F.gelu(F.softmax(self.linear(x), -1))");
  EXPECT_EQ(TierOf(Admit(turned, /*patterns=*/true)), "T3");
  const std::string fewer =
      Problem("self.linear = nn.Linear(width, features)", "F.gelu(self.linear(x))");
  EXPECT_EQ(TierOf(Admit(fewer)), "none");
}

TEST_F(DecontaminationTest, WhatNoGraphCanSayIsNotCompared) {
  const std::string code = Problem("pass", "torch.special.bessel_j0(x)");
  EXPECT_EQ(TierOf(Admit(code)), kNoGraph);
}

// A problem that is given for many sets of inputs is found at any, by the text of its module.
TEST_F(DecontaminationTest, InputsOfAProblemWithManySetsDoNotMatter) {
  const auto problem = [](const std::string& forward, const std::string& inputs) {
    return "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
           "    def forward(self, x, y):\n        return " + forward +
           "\n\n\n" + inputs;
  };
  const std::string bessel =
      "torch.special.bessel_j0(x * 0.5).clamp(min=-1) + torch.special.i0e(y)";
  const std::string listed = "def get_inputs():\n    return [torch.rand(4, 8), torch.rand(8)]\n";
  const std::string other =
      "rows, scale, dtype = 100, 0.25, torch.float64\n\n\ndef draw(*sizes):\n"
      "    return torch.randn(sizes, dtype=dtype) * scale\n\n\ndef get_inputs():\n"
      "    inputs = [draw(rows, rows // 2, 3), draw(1, 1, 3)]\n    return inputs\n\n\n"
      "def get_init_inputs():\n    return []\n";
  const auto tier = [&](const std::string& code, const std::string& copy, bool many) {
    const std::string line =
        BenchmarkLine("many", {}, CodeFingerprint(code),
                      many ? ModuleFingerprint(code) : TextFingerprint());
    const auto table = BenchmarkTable::Parse("exam", std::string(kBenchmarkTableHead) + line);
    return table->Find(FingerprintsOf(RecordOf(copy), worker_).value());
  };
  const std::string copy = problem(bessel, other);
  EXPECT_EQ(tier(problem(bessel, listed), copy, false).tier, OverlapTier::kNone);
  const BenchmarkOverlap found = tier(problem(bessel, listed), copy, true);
  EXPECT_EQ(found.tier, OverlapTier::kText);
  EXPECT_TRUE(found.module);
  EXPECT_EQ(found.similarity, 1);
  // Another module at the same inputs is another task.
  const std::string others = "torch.special.bessel_y1(x + 2).clip(max=3) * torch.special.i1e(y)";
  EXPECT_EQ(tier(problem(others, other), copy, true).tier, OverlapTier::kNone);
  // A module that only calls one function is the problem only if no graph tells, and all is equal.
  const std::string tiny = "torch.special.bessel_j0(x)", near = "torch.special.bessel_j0(x, y)";
  EXPECT_EQ(tier(problem(tiny, listed), problem(tiny, other), true).tier, OverlapTier::kText);
  EXPECT_EQ(tier(problem(tiny, listed), problem(near, other), true).tier, OverlapTier::kNone);
  const std::string relu = "torch.relu(x)";
  EXPECT_EQ(tier(problem(relu, listed), problem(relu, other), true).tier, OverlapTier::kNone);
}

// A sampled graph and its capture have the same fingerprint, so that a problem is found that the
// sampler draws by chance.
TEST_F(DecontaminationTest, GeneratedTasksAreFoundToo) {
  TaskGenerator tasks({.seed = 3, .levels = {1, 2, 3}});
  int captured = 0;
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(tasks.Next());
    const Record record = tasks.ToRecord();
    const auto fingerprints = FingerprintsOf(record, worker_);
    ASSERT_TRUE(fingerprints.ok()) << fingerprints.status().message();
    const std::vector<GraphFingerprint>& graphs = fingerprints->graphs;
    ASSERT_FALSE(graphs.empty());
    const GraphFingerprint own = FingerprintOf(tasks.sampler().large());
    EXPECT_EQ(graphs.back().graph, own.graph);
    EXPECT_EQ(graphs.back().pattern, own.pattern);
    captured += graphs.size() == 2 && graphs.front().graph == own.graph &&
                graphs.front().pattern == own.pattern;
  }
  EXPECT_GE(captured, 9);
}

// Stored tables must stay valid. When this fails, the canonical form of graphs has changed: make
// corpora/benchmarks/*.tsv again, as bench/README.md says, and update this test.
TEST_F(DecontaminationTest, FingerprintsStay) {
  const std::string image =
      "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
      "    def __init__(self):\n        super().__init__()\n"
      "        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)\n"
      "        self.norm = nn.BatchNorm2d(8)\n        self.pool = nn.MaxPool2d(2)\n"
      "        self.shift = nn.Parameter(torch.zeros(8, 1, 1))\n\n"
      "    def forward(self, x):\n"
      "        x = self.pool(torch.relu(self.norm(self.conv(x))) + self.shift)\n"
      "        return torch.cat([x, x * 2], dim=1).flatten(1).mean(dim=1)\n\n\n"
      "def get_inputs():\n    return [torch.rand(2, 3, 16, 16)]\n\n\n"
      "def get_init_inputs():\n    return []\n";
  EXPECT_EQ(BenchmarkLine("linear", Fingerprint(Problem(kLayers, kForward)), {1, 0xabc}),
            "linear\t6860801271d0922d2c5f4eddafbd99a1\t"
            "e472b6ed3c415f99d5dfab94ee98a0d1\t"
            "4d107d1bcf24d27a11e68a832f7e0e95\t0000000100000abc\t\n");
  EXPECT_EQ(BenchmarkLine("image", Fingerprint(image), {}),
            "image\t5d1fb7b7ef99ecc6c1ef330249648917\t"
            "3e5d127511c4b875a08b7c24bfe2783b\t"
            "bd72a09307c436214fae9a988d66386f\t\t\n");
  EXPECT_EQ(BenchmarkLine("text only", {}, {0xffffffff}, {1}),
            "text only\t-\t-\t-\tffffffff\t00000001\n");
}

Result<Decontamination> Configured(const std::string& yaml) {
  return Decontamination::Of(Config::Parse(DecontaminateKeys(), yaml, "test", {}).value());
}

TEST(DecontaminationKeys, TheTablesOfBenchmarksAreThere) {
  const Result<Decontamination> decontamination = Configured("{}");
  ASSERT_TRUE(decontamination.ok()) << decontamination.status().message();
  std::vector<std::string> names;
  for (const auto& table : decontamination->tables) {
    names.push_back(table->name());
    EXPECT_GT(table->problems(), 20) << table->name();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"kernelbench", "multikernelbench", "robust_kbench",
                                             "sol_execbench"}));
  EXPECT_FALSE(decontamination->patterns);
  EXPECT_TRUE(Configured("decontaminate: {tables: []}")->tables.empty());
}

TEST(DecontaminationKeys, MistakesNameTheTable) {
  const Result<Decontamination> none = Configured("decontaminate: {tables: [kernelbanch]}");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), ErrorCode::kConfig);
  EXPECT_NE(
      none.status().message().find("decontaminate.tables: kernelbanch is not a known benchmark"),
      std::string::npos)
      << none.status().message();
  const std::string digits(32, 'a'), three = digits + "\t" + digits + "\t" + digits;
  const std::string head(kBenchmarkTableHead);
  for (const std::string& text :
       {std::string("level1/1\n"), std::string("# kernelmill benchmark table 2\n"),
        head + "a\t" + digits + "\n", head + "a\t" + digits + "\t" + digits + "\tx\t\n",
        head + "a\t" + three + "\t0123456\n", head + "a\t" + three + "\t0123456g\n",
        head + "a\t-\t-\t" + digits + "\t\n", head + "a\t" + three + "\t01234567\tmore\n",
        head + "a\t" + three + "\t01234567\t01234567\tmore\n"}) {
    EXPECT_EQ(BenchmarkTable::Parse("t", text).status().code(), ErrorCode::kConfig) << text;
  }
  EXPECT_EQ(BenchmarkTable::Parse("t", head + "# note\na\t" + three + "\t01234567\n")->problems(),
            1);
}

}  // namespace
}  // namespace kernelmill
