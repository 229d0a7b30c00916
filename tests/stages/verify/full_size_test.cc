// Tests verdicts on tasks that are too large to run whole at their own sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

constexpr char kOneThreadAnElement[] = R"(
__global__ void k(const float* x, float* y, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
)";
constexpr char kRowInABlock[] = R"(
__global__ void k(const float* x, float* y, int columns) {
  __shared__ float sums[256];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 256) sum += x[blockIdx.x * (long)columns + i];
  sums[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sums[0];
}
)";

class FullSize : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<JudgeOptions> options = PrepareSharedJudging({});
    ASSERT_TRUE(options.ok()) << options.status().message();
    options_ = new JudgeOptions(*options);
    Result<Judge> judge = Judge::Start(std::move(options).value());
    ASSERT_TRUE(judge.ok()) << judge.status().message();
    judge_ = new Judge(std::move(judge).value());
  }
  static void TearDownTestSuite() {
    delete judge_;
    delete options_;
  }

  // A task of tests/stages/verify/tasks with other values for the given names.
  static std::string Task(const std::string& name,
                          const std::vector<std::pair<std::string, std::string>>& numbers) {
    std::string text = TaskText(name);
    for (const auto& [variable, number] : numbers) {
      const std::size_t at = text.find("\n" + variable + " = ") + variable.size() + 4;
      text.replace(at, text.find('\n', at) - at, number);
    }
    return text;
  }
  // The verdict on an answer with this kernel and body of run(x), whose forward() ends with `tail`.
  static Verdict Say(const std::string& task, const std::string& kernel, const std::string& run,
                     const std::string& init = "self", const std::string& tail = "",
                     Judge* judge = judge_) {
    const std::string code =
        "import torch\nimport torch.nn as nn\n"
        "from torch.utils.cpp_extension import load_inline\n\nSOURCE = r'''\n"
        "#include <torch/extension.h>\n" +
        kernel + "torch::Tensor run(torch::Tensor x) {\n  x = x.contiguous();\n" + run +
        "}\n'''\next = load_inline(name='own', cpp_sources='torch::Tensor run(torch::Tensor x);',\n"
        "                  cuda_sources=SOURCE, functions=['run'])\n\n\n"
        "class ModelNew(nn.Module):\n    def __init__(" +
        init +
        "):\n        super().__init__()\n\n    def forward(self, x):\n"
        "        return ext.run(x)" +
        tail + "\n";
    const Result<Verdict> verdict = judge->Verify(task, code);
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return verdict.ok() ? *verdict : Verdict();
  }
  static void ExpectChecked(const Verdict& verdict) {
    EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.full_size.state, "checked") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.trials.back().shapes, "full");
    EXPECT_THAT(verdict.feedback, HasSubstr("At the task's own sizes"));
  }
  static void ExpectWrong(const Verdict& verdict) {
    EXPECT_EQ(StatusName(verdict.status), "wrong") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.reason, "full_size");
    EXPECT_FALSE(verdict.trials.back().passed);
    EXPECT_LT(verdict.Reward(), 0.0);
  }

  static JudgeOptions* options_;
  static Judge* judge_;
};
JudgeOptions* FullSize::options_ = nullptr;
Judge* FullSize::judge_ = nullptr;

KM_SHARED_SUITE(FullSize);

TEST_F(FullSize, FindsAnIndexThatLeaves32Bits) {
  // 79,999 times 40,000 exceeds the range of int.
  const std::string task = R"(
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.interpolate(x, scale_factor=2, mode="nearest")


batch_size = 18
channels = 4
length = 40000


def get_inputs():
    return [torch.rand(batch_size, channels, length)]


def get_init_inputs():
    return []
)";
  const auto kernel = [](const std::string& wide) {
    return "__global__ void k(const float* x, float* y, int length, int wide) {\n"
           "  int j = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (j >= wide) return;\n"
           "  int from = max(0, min(static_cast<int>(" +
           wide +
           "j * length / wide), length - 1));\n"
           "  y[blockIdx.y * (long)wide + j] = x[blockIdx.y * (long)length + from];\n}\n";
  };
  const std::string run =
      "  auto y = torch::empty({x.size(0), x.size(1), x.size(2) * 2}, x.options());\n"
      "  dim3 grid((y.size(2) + 255) / 256, x.size(0) * x.size(1));\n"
      "  k<<<grid, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(2), y.size(2));\n"
      "  return y;\n";
  const Verdict right = Say(task, kernel("(long long)"), run);
  ExpectChecked(right);
  EXPECT_EQ(right.full_size.of_blocks, 313 * 72);
  EXPECT_GT(right.full_size.blocks, 10'000);
  EXPECT_LT(right.full_size.blocks, right.full_size.of_blocks);
  EXPECT_GT(right.full_size.elements, 250 * right.full_size.blocks);

  const Verdict wrong = Say(task, kernel(""), run);
  ExpectWrong(wrong);
  ASSERT_TRUE(wrong.diagnosis.has_value());
  EXPECT_EQ(wrong.diagnosis->total, right.full_size.elements);
  EXPECT_GT(wrong.diagnosis->elements.at(0).index.at(2), 53'687);
  EXPECT_THAT(wrong.feedback, HasSubstr("at the task's own sizes"));
  EXPECT_THAT(wrong.feedback, HasSubstr("elements that were looked at"));
  EXPECT_THAT(wrong.feedback, HasSubstr("leaves 32 bits"));
}

TEST_F(FullSize, FindsAGridThatIsCutOff) {
  const std::string task = Task("relu", {{"rows", "2200"}, {"columns", "8192"}});
  const std::string run =
      "  auto y = torch::empty_like(x);\n  long n = x.numel();\n"
      "  k<<<min((n + 255) / 256, 65535L), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
      "  return y;\n";
  const Verdict wrong = Say(task, kOneThreadAnElement, run);
  ExpectWrong(wrong);
  EXPECT_THAT(wrong.feedback, HasSubstr("its 65535 blocks write no more than 16776960 elements"));
  ExpectChecked(Say(task,
                    "__global__ void k(const float* x, float* y, long n) {\n"
                    "  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n;\n"
                    "       i += gridDim.x * (long)blockDim.x) y[i] = fmaxf(x[i], 0.0f);\n}\n",
                    run));
}

TEST_F(FullSize, FindsALaunchThatNoDeviceTakes) {
  const std::string task = Task("relu", {{"rows", "70000"}, {"columns", "64"}});
  const Verdict verdict =
      Say(task,
          "__global__ void k(const float* x, float* y, int columns) {\n"
          "  int i = blockIdx.x * 32 + threadIdx.x;\n"
          "  long at = blockIdx.y * (long)columns + i;\n"
          "  if (i < columns) y[at] = fmaxf(x[at], 0.0f);\n}\n",
          "  auto y = torch::empty_like(x);\n  int c = x.size(1);\n"
          "  k<<<dim3((c + 31) / 32, x.size(0)), 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), "
          "c);\n  return y;\n");
  EXPECT_EQ(StatusName(verdict.status), "crashed") << verdict.ToJson().Pretty();
  EXPECT_EQ(verdict.reason, "launch_limit");
  EXPECT_THAT(verdict.detail, testing::StartsWith("at the task's own sizes (rows = 70000): "));
}

TEST_F(FullSize, RunsAllBlocksWhereTheyAreFew) {
  const std::string task = Task("row_sum", {{"rows", "2100"}, {"columns", "4096"}});
  const std::string launch =
      "  k<<<x.size(0), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));\n"
      "  return y;\n";
  const Verdict verdict =
      Say(task, kRowInABlock, "  auto y = torch::empty({x.size(0)}, x.options());\n" + launch);
  ExpectChecked(verdict);
  EXPECT_EQ(verdict.full_size.blocks, 2100);
  EXPECT_EQ(verdict.full_size.of_blocks, 2100);
  EXPECT_EQ(verdict.full_size.elements, 2100);
  // A serial sum, which is less accurate than torch's order of summation.
  ExpectChecked(
      Say(Task("row_sum", {{"rows", "64"}, {"columns", "150000"}}),
          "__global__ void k(const float* x, float* y, int columns) {\n"
          "  float sum = 0.0f;\n"
          "  for (int i = 0; i < columns; ++i) sum += x[threadIdx.x * (long)columns + i];\n"
          "  y[threadIdx.x] = sum;\n}\n",
          "  auto y = torch::empty({x.size(0)}, x.options());\n"
          "  k<<<1, x.size(0)>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));\n"
          "  return y;\n"));
}

// A contract of fixed shapes does not ask for the smaller sizes that a large task is run at.
TEST_F(FullSize, AccusesNobodyForOtherSizesThanTheTasks) {
  const std::string task = Task("relu", {{"rows", "1280"}, {"columns", "4096"}});
  const std::string launch =
      "  auto y = torch::empty_like(x);\n  long n = x.numel();\n"
      "  k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n  return y;\n";
  const std::string made_for_it = "  TORCH_CHECK(x.size(1) == 4096, \"made for 4096\");\n" + launch;
  const Verdict made = Say(task, kOneThreadAnElement, made_for_it);
  ExpectChecked(made);
  EXPECT_EQ(made.sizes.size(), 1u);  // Only the rows are fewer.
  // It is made for the rows too, and blocks of one launch do not show that it is right.
  const Verdict refused = Say(task, kOneThreadAnElement,
                              "  TORCH_CHECK(x.size(0) == 1280, \"made for 1280\");\n" + launch);
  EXPECT_EQ(StatusName(refused.status), "undecided") << refused.ToJson().Pretty();
  EXPECT_EQ(refused.reason, kOwnSizes);
  EXPECT_EQ(refused.full_size.state, "checked");
  EXPECT_EQ(refused.Reward(), std::nullopt);
  // Where it may run whole at these sizes, that decides.
  JudgeOptions whole = *options_;
  whole.own_size_cpu_ms = 10'000;
  Judge whole_judge = Judge::Start(whole).value();
  const Verdict decided = Say(task, kOneThreadAnElement,
                              "  TORCH_CHECK(x.size(0) == 1280, \"made for 1280\");\n" + launch,
                              "self", "", &whole_judge);
  EXPECT_EQ(StatusName(decided.status), "correct") << decided.ToJson().Pretty();
  EXPECT_EQ(decided.full_size.state, "same");
  EXPECT_TRUE(decided.sizes.empty());
  // Wrong at small sizes only, and with two launches, which cannot be sampled.
  const std::string halves =
      "  auto y = torch::zeros_like(x);\n  long n = x.numel() / (x.size(1) == 4096 ? 2 : 4);\n"
      "  for (int i = 0; i < 2; ++i)\n"
      "    k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>() + i * n, y.data_ptr<float>() + i * n, "
      "n);\n  return y;\n";
  const Verdict two = Say(task, kOneThreadAnElement, halves);
  EXPECT_EQ(StatusName(two.status), "correct") << two.ToJson().Pretty();
  EXPECT_EQ(two.full_size.state, "batch");
  EXPECT_THAT(two.full_size.why_not, HasSubstr("launches 2 kernels"));
  // What fails at all sizes keeps its message.
  ExpectWrong(Say(task,
                  "__global__ void k(const float* x, float* y, long n) {\n"
                  "  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
                  "  if (i < n) y[i] = x[i];\n}\n",
                  launch));
  const Verdict raised = Say(task, kOneThreadAnElement, "  TORCH_CHECK(false, \"no\");\n" + launch);
  EXPECT_EQ(raised.reason, "raised") << raised.ToJson().Pretty();
  EXPECT_THAT(raised.detail, testing::Not(HasSubstr("the task's own sizes")));
  const Verdict unbuilt = Say(task, "__global__ void k(float) { nothing; }\n", launch);
  EXPECT_EQ(unbuilt.reason, "compile_error") << unbuilt.ToJson().Pretty();
  // Under a contract of any shape other sizes decide.
  JudgeOptions general = *options_;
  general.contract.any_shape = true;
  Judge judge = Judge::Start(general).value();
  EXPECT_EQ(Say(task, kOneThreadAnElement, made_for_it, "self", "", &judge).reason,
            "other_shapes");
}

// The values of these inputs fit no memory, and the answers fail at smaller sizes too.
TEST_F(FullSize, DecidesByHostCodeWithoutValues) {
  const std::string task = Task("relu", {{"rows", "65536"}, {"columns", "65536"}});
  const std::string launch =
      "  auto y = torch::empty_like(x);\n  long n = x.numel();\n"
      "  k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n";
  const Verdict shape = Say(task, kOneThreadAnElement, launch + "  return y.view({-1});\n");
  EXPECT_EQ(StatusName(shape.status), "wrong") << shape.ToJson().Pretty();
  EXPECT_EQ(shape.reason, "shape");
  const Verdict raised = Say(task, kOneThreadAnElement, "  TORCH_CHECK(false, \"no\");\n" + launch);
  EXPECT_EQ(StatusName(raised.status), "crashed") << raised.ToJson().Pretty();
  EXPECT_EQ(raised.reason, "raised");
  const Verdict refused =
      Say(task, kOneThreadAnElement,
          launch + "  k<<<dim3(1, x.size(0)), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
                   "  return y.view({-1});\n");
  EXPECT_EQ(StatusName(refused.status), "crashed") << refused.ToJson().Pretty();
  EXPECT_EQ(refused.reason, "launch_limit");
  EXPECT_THAT(refused.detail, testing::StartsWith("at the task's own sizes (rows = 65536"));
  // Nothing is wrong with the shape there, so the size may be the cause.
  const Verdict values =
      Say(task, kOneThreadAnElement,
          launch + "  return x.size(0) == 65536 ? y : y.view({-1});\n");
  EXPECT_EQ(StatusName(values.status), "undecided") << values.ToJson().Pretty();
  EXPECT_EQ(values.reason, kOwnSizes);
}

// Torch multiplies in a fraction of the time that a kernel of its own would take here.
TEST_F(FullSize, RunsWholeWhereTorchDoesTheWork) {
  const std::string task = R"(
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x @ x)


rows = 1536


def get_inputs():
    return [torch.rand(rows, rows) - 0.5]


def get_init_inputs():
    return []
)";
  JudgeOptions options = *options_;
  options.policy = *FindVerifyPolicy("kernelbench");
  options.own_size_cpu_ms = 10'000;
  Judge judge = Judge::Start(options).value();
  const auto made_for = [](const std::string& value) {
    return "  x = x.mm(x) + (x.size(0) == 1536 ? " + value +
           " : 1.0);\n  auto y = torch::empty_like(x);\n  long n = x.numel();\n"
           "  k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
           "  return y;\n";
  };
  const Verdict right = Say(task, kOneThreadAnElement, made_for("0.0"), "self", "", &judge);
  EXPECT_EQ(StatusName(right.status), "correct") << right.ToJson().Pretty();
  EXPECT_EQ(right.full_size.state, "same");
  const Verdict wrong = Say(task, kOneThreadAnElement, made_for("0.5"), "self", "", &judge);
  EXPECT_EQ(StatusName(wrong.status), "wrong") << wrong.ToJson().Pretty();
}

TEST_F(FullSize, SaysWhyNot) {
  const std::string task = Task("relu", {{"rows", "1280"}, {"columns", "4096"}});
  const std::string empty = "  auto y = torch::empty_like(x);\n  long n = x.numel();\n";
  const auto launch = [](const std::string& x, const std::string& y, const std::string& n) {
    return "  k<<<(" + n + " + 255) / 256, 256>>>(" + x + ", " + y + ", " + n + ");\n";
  };
  const std::string x = "x.data_ptr<float>()", y = "y.data_ptr<float>()";
  const auto expect = [](const Verdict& verdict, const std::string& why) {
    EXPECT_EQ(StatusName(verdict.status), "correct") << verdict.ToJson().Pretty();
    EXPECT_EQ(verdict.full_size.state, "batch");
    EXPECT_THAT(verdict.full_size.why_not, HasSubstr(why));
    EXPECT_THAT(verdict.feedback, HasSubstr(why));
  };
  expect(Say(task, kOneThreadAnElement,
             empty + launch(x, y, "n / 2") + launch(x + " + n / 2", y + " + n / 2", "(n - n / 2)") +
                 "  return y;\n"),
         "forward() launches 2 kernels");
  expect(Say(task, kOneThreadAnElement, empty + launch(x, y, "n") + "  return y;\n", "self",
             ".clone()"),
         "the operator aten::clone follows its kernel");
  expect(Say(task, kOneThreadAnElement,
             "  auto y = torch::empty_like(x);\n  y.copy_(x);\n  long n = x.numel();\n" +
                 launch(y, y, "n") + "  return y;\n"),
         "its blocks read the output");
  expect(Say(Task("row_sum", {{"rows", "2100"}, {"columns", "4096"}}),
             "__global__ void k(const float* x, float* y, long columns) {\n"
             "  long i = blockIdx.x * 256 + threadIdx.x;\n"
             "  if (i < columns) atomicAdd(y + blockIdx.y, x[blockIdx.y * columns + i]);\n}\n",
             "  auto y = torch::zeros({x.size(0)}, x.options());\n"
             "  k<<<dim3((x.size(1) + 255) / 256, x.size(0)), 256>>>(" +
                 x + ", " + y + ", x.size(1));\n  return y;\n"),
         "atomic operations on global memory");
  expect(Say(Task("relu", {{"rows", "65536"}, {"columns", "16384"}}), kOneThreadAnElement,
             empty + launch(x, y, "n") + "  return y;\n"),
         "more than 150 GFLOP there, or moves more than 400 MB");
}

}  // namespace
}  // namespace kernelmill
