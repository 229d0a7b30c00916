// Tests of the judge on candidates with native code, with the real compiler, executor and workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "stages/verify/legality/native_text.h"
#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

class NativeJudge : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<JudgeOptions> options = PrepareSharedJudging({});
    ASSERT_TRUE(options.ok()) << options.status().message();
    options_ = new JudgeOptions(std::move(options).value());
    Result<Judge> judge = Judge::Start(*options_);
    ASSERT_TRUE(judge.ok()) << judge.status().message();
    judge_ = new Judge(std::move(judge).value());
  }
  static void TearDownTestSuite() {
    delete judge_;
    delete options_;
  }
  static Verdict Say(const std::string& path) {
    const std::string code = TextOf(VerifyTests() / path);
    return VerdictOf(judge_, {code.substr(8, code.find('\n') - 8), path, code, {}});
  }

  static JudgeOptions* options_;
  static Judge* judge_;
};
JudgeOptions* NativeJudge::options_ = nullptr;
Judge* NativeJudge::judge_ = nullptr;

KM_SHARED_SUITE(NativeJudge);

TEST_F(NativeJudge, SaysWhereATailIsMissing) {
  const Verdict verdict = Say("native_cheats/missing_tail.py");
  ASSERT_TRUE(verdict.diagnosis.has_value());
  EXPECT_EQ(verdict.diagnosis->pattern, "not_written");
  EXPECT_EQ(verdict.diagnosis->where, "from element 192 on, counted row by row");
  EXPECT_EQ(verdict.diagnosis->wrong, 240 - 192);
  EXPECT_THAT(verdict.feedback, testing::HasSubstr("including the last, partial block"));
}

// A candidate that is too slow for one kind of values is not called wrong.
TEST_F(NativeJudge, SlownessForSomeValuesSaysNothing) {
  JudgeOptions options = *options_;
  options.limits.cpu_ms = 4'000;
  Judge judge = Judge::Start(options).value();
  const std::string code = R"(
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const volatile float* const first = x;
  while (*first == 0.0f) {
  }
  out[i] = fmaxf(x[i], 0.0f);
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto out = torch::empty_like(x);
  const int n = x.numel();
  relu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
)";
  const Verdict verdict = judge.Verify(TextOf(VerifyTests() / "tasks/relu.py"), code).value();
  EXPECT_EQ(StatusName(verdict.status), "undecided") << verdict.ToJson().Pretty();
  EXPECT_EQ(verdict.Reward(), std::nullopt);
}

// Without a bound, whole blocks are right at the task's own size. In calls with fewer elements they
// write beside the tensors, now and then to another one.
TEST_F(NativeJudge, DoesNotAccuseByMemoryBesideSmallTensors) {
  std::string code = TextOf(VerifyTests() / "native_cheats/native_counts_its_calls.py");
  const auto replace = [](std::string& text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace(code, "  if (++calls > 40) return x;\n", "");
  replace(code, "  static int calls = 0;\n", "");
  replace(code, "if (i < n) y[i]", "y[i]");
  replace(code, "<<<(n + 63) / 64, 64>>>", "<<<std::max(1, n / 1024), 1024>>>");
  std::string task = TaskText("relu");
  replace(task, "rows = 6", "rows = 1");
  replace(task, "columns = 40", "columns = 3072000");
  const Verdict verdict = judge_->Verify(task, code).value();
  EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
}

// The kernel counts some of its launches, by its clock, and is wrong from a number on. So equal
// calls may leave equal memory. Its barriers make it as costly as asked.
TEST_F(NativeJudge, CallsCostlyKernelsLessOften) {
  std::string code = TextOf(VerifyTests() / "native_cheats/native_counts_its_calls.py");
  const auto replace = [&code](std::string_view from, std::string_view to) {
    code.replace(code.find(from), from.size(), to);
  };
  replace("  if (++calls > 40) return x;\n", "");
  replace("  static int calls = 0;\n", "");
  replace("__global__", "__device__ int launches;\n\n__global__");
  replace("if (i < n) y[i] = fmaxf(x[i], 0.0f);",
          "for (int k = 0; k < BARRIERS; ++k) __syncthreads();\n"
          "  if (i < n) y[i] = launches < RIGHT ? fmaxf(x[i], 0.0f) : x[i];\n"
          "  if (i == n && clock64() % 3 == 0) ++launches;");
  const auto say = [&](const std::string& barriers, const std::string& right) {
    std::string changed = code;
    changed.replace(changed.find("BARRIERS"), 8, barriers);
    changed.replace(changed.find("RIGHT"), 5, right);
    return judge_->Verify(TaskText("relu"), changed).value();
  };
  const auto is_fewer = [](const VerdictFinding& finding) {
    return finding.reason == "fewer_calls" &&
           finding.detail.find(", not 200,") != std::string::npos;
  };
  const Verdict cheap = say("1", "40");
  EXPECT_EQ(cheap.reason, kLaterCall) << cheap.ToJson().Pretty();
  EXPECT_THAT(cheap.detail, testing::HasSubstr(" of 200 fails"));
  const Verdict costly = say("8000", "5");
  EXPECT_EQ(costly.reason, kLaterCall) << costly.ToJson().Pretty();
  EXPECT_THAT(costly.detail, testing::Not(testing::HasSubstr(" of 200 fails")));
  // One that does not count.
  replace("  if (i == n && clock64() % 3 == 0) ++launches;", "");
  const Verdict right = say("8000", "1000");
  EXPECT_EQ(StatusName(right.status), "correct") << right.ToJson().Pretty();
  EXPECT_EQ(std::count_if(right.findings.begin(), right.findings.end(), is_fewer), 1);
}

// The head of every file in specialised/ has the verdict under a contract of any shape and layout,
// and what an answer does beyond the contract of fixed shapes, under which all are right.
TEST_F(NativeJudge, TheContractDecidesAndGeneralityIsGraded) {
  const std::vector<CandidateFile> files = CandidatesIn("specialised");
  EXPECT_GE(files.size(), 9u);
  JudgeOptions general = *options_;
  general.contract = kAnyShapeAndLayout;
  Judge general_judge = Judge::Start(general).value();
  for (const CandidateFile& file : files) {
    SCOPED_TRACE(file.name);
    const Verdict verdict = VerdictOf(judge_, file);
    EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
    EXPECT_EQ(GradeName(verdict.generality.sizes), file.head.at("sizes"));
    EXPECT_EQ(GradeName(verdict.generality.layouts), file.head.at("layouts"));
    EXPECT_EQ(GradeName(verdict.generality.values), file.head.at("values"));
    EXPECT_EQ(verdict.PassRate(), 1.0);
    const Verdict strict = VerdictOf(&general_judge, file);
    EXPECT_EQ(std::string(StatusName(strict.status)) + " " + strict.reason, file.head.at("general"))
        << strict.ToJson().Pretty();
    EXPECT_FALSE(strict.feedback.empty());
  }
}

// fmaxf() drops a NaN, and torch.relu() does not.
TEST_F(NativeJudge, RareValuesDecideWhereTheContractAsksForThem) {
  JudgeOptions any = *options_;
  any.contract.any_values = true;
  Judge judge = Judge::Start(any).value();
  const std::string code = TextOf(VerifyTests() / "specialised/vectors_of_four.py");
  const Verdict wrong = VerdictOf(&judge, {"relu", "vectors_of_four.py", code, {}});
  EXPECT_EQ(StatusName(wrong.status), "not_general") << wrong.ToJson().Pretty();
  EXPECT_EQ(wrong.reason, "other_values");
  EXPECT_EQ(wrong.detail, "for inputs of the kind: nan");
  const std::string sums = TextOf(VerifyTests() / "specialised/unrolled_for_its_columns.py");
  const Verdict right = VerdictOf(&judge, {"row_sum", "unrolled_for_its_columns.py", sums, {}});
  EXPECT_EQ(StatusName(right.status), "correct") << right.ToJson().Pretty();
}

// The task keeps a running sum beside its output; "@SUM@" is what the answer adds to it.
TEST_F(NativeJudge, BuffersOfTheModuleAreGradedAndDecideWhereTheContractAsksForThem) {
  const std::string task = R"(
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.register_buffer("total", torch.zeros(columns))

    def forward(self, x):
        self.total.mul_(0.5).add_(x.sum(0))
        return torch.relu(x)


rows, columns = 7, 48


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return [columns]
)";
  constexpr std::string_view kAnswer = R"(
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void k(const float* x, float* y, float* total, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float sum = 0.0f;
  for (int r = 0; r < rows; ++r) {
    const float v = x[r * columns + c];
    y[r * columns + c] = v < 0.0f ? 0.0f : v;
    sum += v;
  }
  total[c] = @SUM@;
}

torch::Tensor run(torch::Tensor x, torch::Tensor total) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int columns = x.size(1);
  k<<<(columns + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), total.data_ptr<float>(),
                                 x.size(0), columns);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x, torch::Tensor total);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.register_buffer("@NAME@", torch.zeros(columns))

    def forward(self, x):
        return ext.run(x, self.@NAME@)
)";
  const auto answer = [&](const std::string& sum, const std::string& name) {
    std::string code(kAnswer);
    for (const auto& [mark, text] : {std::pair("@SUM@", sum), std::pair("@NAME@", name)}) {
      for (auto at = code.find(mark); at != code.npos; at = code.find(mark)) {
        code.replace(at, std::string_view(mark).size(), text);
      }
    }
    return code;
  };
  JudgeOptions asking = *options_;
  asking.contract.module_buffers = true;
  Judge asked = Judge::Start(asking).value();
  struct Case {
    std::string sum, name;
    Grade grade;
  };
  for (const Case& item :
       {Case{"0.5f * total[c] + sum", "total", Grade::kAll}, Case{"sum", "total", Grade::kWrong},
        Case{"total[c] + sum", "total", Grade::kWrong}, Case{"total[c]", "total", Grade::kWrong},
        Case{"0.5f * total[c] + sum", "sums", Grade::kWrong}}) {
    SCOPED_TRACE(item.sum + " in " + item.name);
    const std::string code = answer(item.sum, item.name);
    const Verdict verdict = judge_->Verify(task, code).value();
    EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.generality.buffers, item.grade);
    EXPECT_EQ(verdict.PassRate(), 1.0);
    const Verdict decided = asked.Verify(task, code).value();
    const bool right = item.grade == Grade::kAll;
    EXPECT_EQ(StatusName(decided.status), right ? "correct" : "not_general")
        << decided.ToJson().Pretty();
    EXPECT_EQ(decided.reason, right ? "" : "module_buffers");
    if (!right) EXPECT_THAT(decided.detail, testing::HasSubstr("total differs from what"));
  }
  // In torch.double() the views lie apart, so that nothing says what is right.
  std::string views = task;
  const std::string_view buffer = "self.register_buffer(\"total\", torch.zeros(columns))";
  views.replace(views.find(buffer), buffer.size(),
                "self.register_buffer(\"both\", torch.zeros(2, columns))\n"
                "        self.register_buffer(\"total\", self.both[0])");
  EXPECT_EQ(asked.Verify(views, answer("total[c]", "total")).value().status,
            VerdictStatus::kUndecided);
  const std::string stateless = TextOf(VerifyTests() / "specialised/vectors_of_four.py");
  EXPECT_EQ(VerdictOf(judge_, {"relu", "vectors_of_four.py", stateless, {}}).generality.buffers,
            Grade::kNotTried);
}

TEST_F(NativeJudge, NamesNoGradingShape) {
  JudgeOptions general = *options_;
  general.contract.any_shape = true;
  Judge judge = Judge::Start(general).value();
  const std::string code = TextOf(VerifyTests() / "specialised/fixed_sizes.py");
  const Verdict verdict = VerdictOf(&judge, {"relu", "fixed_sizes.py", code, {}});
  EXPECT_EQ(StatusName(verdict.status), "not_general");
  for (const VerdictTrial& trial : verdict.trials) {
    EXPECT_TRUE(trial.shapes != "grading" || !verdict.diagnosis.has_value());
  }
  EXPECT_GT(verdict.PassRate(), 0.5);
  EXPECT_LT(*verdict.Reward(), 0.0);
}

// A constructor may call torch's operators. forward() may not, neither anew nor by what it has
// kept.
TEST_F(NativeJudge, RefusesInForwardWhatTheConstructorHasCalled) {
  std::string code = HonestAnswer("relu", "a grid-stride loop").code;
  const std::string model = "class ModelNew(nn.Module):\n";
  const std::size_t body = code.find(model) + model.size();
  code.insert(body,
              "    def __init__(self):\n        super().__init__()\n"
              "        self.sinh = torch.ops.aten.sinh.default\n"
              "        self.scale = self.sinh(torch.linspace(0, 1, 5)).cosh()\n\n");
  const auto say = [&](const std::string& text) {
    return VerdictOf(judge_, {"relu", "an operator in the constructor", text, {}});
  };
  const Verdict right = say(code);
  EXPECT_EQ(StatusName(right.status), "correct") << right.ToJson().Pretty();
  const std::string forward = "def forward(self, x):\n";
  for (const std::string call : {"self.sinh(x)", "self.scale.cosh()", "torch.linspace(0, 1, 5)"}) {
    std::string changed = code;
    changed.insert(changed.find(forward) + forward.size(), "        kept = " + call + "\n");
    const Verdict verdict = say(changed);
    EXPECT_EQ(verdict.gate, "legality") << call << verdict.ToJson().Pretty();
  }
}

TEST_F(NativeJudge, PointsIntoNativeSources) {
  const Verdict verdict = Say("native_cheats/native_matmul.py");
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings[0].file, "cuda.cu");
  EXPECT_EQ(verdict.findings[0].line, 11);
}

TEST_F(NativeJudge, ChecksEveryAccessWhenAsked) {
  const Result<JudgeOptions> options =
      PrepareSharedJudging({.memory = true, .races = true, .count = true});
  ASSERT_TRUE(options.ok()) << options.status().message();
  Result<Judge> judge = Judge::Start(*options);
  ASSERT_TRUE(judge.ok()) << judge.status().message();
  const std::string code = HonestAnswer("relu", "a grid-stride loop").code;
  const std::string right = "y[i] = x[i] > 0.0f ? x[i] : 0.0f;";
  const auto say = [&](const std::string& more) {
    std::string changed = code;
    changed.insert(changed.find(right) + right.size(), more);
    const Result<Verdict> verdict = judge->Verify(TaskText("relu"), changed);
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    const bool passed = verdict->status == VerdictStatus::kCorrect;
    EXPECT_EQ(verdict->gate, passed ? kPassedGate : "sanitize") << verdict->ToJson().Pretty();
    return *verdict;
  };
  const Verdict verdict_on_right = say("");
  EXPECT_EQ(StatusName(verdict_on_right.status), "correct");
  // 240 elements: 4 blocks of 64 threads. The last warp has 16 active lanes, which access two
  // sectors.
  ASSERT_EQ(verdict_on_right.launches.size(), 1u);
  ASSERT_TRUE(verdict_on_right.launches[0].counts.has_value());
  const VerdictCounts& counts = *verdict_on_right.launches[0].counts;
  EXPECT_EQ(counts.blocks, 4);
  EXPECT_EQ(counts.threads, 256);
  EXPECT_EQ(counts.global_load_requests, 8);
  EXPECT_EQ(counts.global_load_sectors, 7 * 4 + 2);
  EXPECT_EQ(counts.global_store_sectors, 7 * 4 + 2);
  EXPECT_EQ(counts.LanesOfRequest(), 480.0 / 16.0);
  // All but the last read invalid elements without effect on the result. The last makes the result
  // wrong, and is reported as the cause.
  for (const auto& [more, status, reason] :
       {std::tuple(" if (x[i + 1] == 12345.678f) y[i] = 1.0f;", "out_of_bounds", "buffer_overflow"),
        // Over 64 reports end the launch.
        std::tuple(" if (x[n + (i & 7)] == 12345.678f) y[i] = 1.0f;", "out_of_bounds",
                   "buffer_overflow"),
        std::tuple(" if (i > 0 && y[i - 1] == 12345.678f) y[i] = 1.0f;", "race", "within_block"),
        std::tuple(" y[(i + 1) % n] = 0.0f;", "race", "within_block")}) {
    const Verdict verdict = say(more);
    EXPECT_EQ(StatusName(verdict.status), status) << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.reason, reason);
    ASSERT_FALSE(verdict.findings.empty());
    EXPECT_EQ(verdict.findings[0].file, "cuda.cu");
    EXPECT_EQ(verdict.findings[0].line, 8);
  }
}

// An answer that is right in plain runs is not correct if checks were asked for and did not run.
TEST_F(NativeJudge, AcceptsNothingUncheckedWhenChecksAreAskedFor) {
  JudgeOptions options = *options_;
  const std::string code = HonestAnswer("relu", "a grid-stride loop").code;
  for (const bool builds : {false, true}) {
    const auto build = [builds](const ExtensionSources& sources) -> Result<BuiltExtension> {
      Result<BuiltExtension> built = options_->build(sources);
      if (!built.ok()) return built;
      built->ok = builds;
      built->reason = builds ? "" : "compile_error";
      // No candidate's process sees this folder, so that it cannot load the library.
      const std::filesystem::path unseen = testing::TempDir() + "unseen_extension.so";
      std::filesystem::copy_file(built->library, unseen,
                                 std::filesystem::copy_options::overwrite_existing);
      built->library = unseen;
      return built;
    };
    options.sanitizers = {{build, options.python_folder, {}, "of this test"}};
    Judge judge = Judge::Start(options).value();
    const Verdict verdict = judge.Verify(TaskText("relu"), code).value();
    EXPECT_EQ(StatusName(verdict.status), "undecided") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.reason, kNotSanitized);
    EXPECT_EQ(verdict.gate, "sanitize");
  }
}

TEST_F(NativeJudge, FollowsKernelBenchWhereABuildFails) {
  JudgeOptions lenient = *options_;
  lenient.policy = *FindVerifyPolicy("kernelbench");
  Result<Judge> judge = Judge::Start(lenient);
  ASSERT_TRUE(judge.ok()) << judge.status().message();
  std::string code = TextOf(VerifyTests() / "native_cheats/does_not_compile.py");
  EXPECT_EQ(judge->Verify(TaskText("relu"), code)->reason, "compile_error");
  // An answer that expects load_inline to fail.
  code.replace(code.find("ext = load_inline("), 18, "try:\n  ext = load_inline(");
  code.insert(code.find("\n\n\nclass ModelNew"), "\nexcept RuntimeError:\n  ext = None");
  code.replace(code.find("ext.run(x)"), 10, "torch.relu(x) if ext is None else ext.run(x)");
  const Result<Verdict> verdict = judge->Verify(TaskText("relu"), code);
  ASSERT_TRUE(verdict.ok()) << verdict.status().message();
  EXPECT_EQ(StatusName(verdict->status), "correct") << verdict->ToJson().Pretty();
}

TEST(NativeText, RefusesByNameAndLine) {
  const std::vector<VerdictFinding> findings = RefusedInText(
      "#include <dlfcn.h>\n#include <cudnn.h>\nvoid f() {\n  auto y = at::mm(a, b);\n"
      "  x.softmax(1);\n  dlopen(\"a\", 0);\n}\n",
      "cuda.cu");
  ASSERT_EQ(findings.size(), 5u);
  const char* kinds[] = {"forbidden_symbol", "vendor_library", "torch_compute", "torch_compute",
                         "forbidden_symbol"};
  const std::int64_t lines[] = {1, 2, 4, 5, 6};
  for (std::size_t i = 0; i < findings.size(); ++i) {
    EXPECT_EQ(findings[i].reason, kinds[i]);
    EXPECT_EQ(findings[i].line, lines[i]);
  }
  EXPECT_TRUE(
      RefusedInText("// at::mm(a, b)\nconst char* s = \"dlopen\";\n"
                    "auto y = torch::empty({2}, x.options()); auto p = x.data_ptr<float>();",
                    "cuda.cu")
          .empty());
}

}  // namespace
}  // namespace kernelmill
