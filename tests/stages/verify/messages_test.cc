// What a verdict tells the author of an answer: where it fails, which rule it breaks and how to do
// without, and nothing that the evidence does not carry.
#include <gmock/gmock.h>

#include "tests/shared_suite.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

// An answer to tasks/relu.py with `more` in its module and `host` in its host function.
std::string Relu(const std::string& more, const std::string& host, const std::string& kernel) {
  return "import torch\nimport torch.nn as nn\n" + more +
         "\nfrom torch.utils.cpp_extension import load_inline\n\nsource = r\"\"\"\n"
         "#include <torch/extension.h>\n\n"
         "__global__ void relu_kernel(const float* x, float* y, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
         kernel +
         "\n}\n\ntorch::Tensor run(torch::Tensor x) {\n  x = x.contiguous();\n"
         "  auto y = torch::empty_like(x);\n  const int n = x.numel();\n  " +
         host +
         "\n  relu_kernel<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
         "  return y;\n}\n\"\"\"\next = load_inline(name=\"ext\", "
         "cpp_sources=\"torch::Tensor run(torch::Tensor x);\", cuda_sources=source, "
         "functions=[\"run\"])\n\n\nclass ModelNew(nn.Module):\n    def forward(self, x):\n"
         "        return ext.run(x)\n";
}
constexpr char kRight[] = "if (i < n) y[i] = fmaxf(x[i], 0.0f);";

class VerdictMessages : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<JudgeOptions> options = PrepareJudging({});
    ASSERT_TRUE(options.ok()) << options.status().message();
    judge_ = new Judge(Judge::Start(*options).value());
  }
  static void TearDownTestSuite() { delete judge_; }
  static Verdict Say(const std::string& code) { return VerdictOf(judge_, {"relu", "", code, {}}); }

  static Judge* judge_;
};
Judge* VerdictMessages::judge_ = nullptr;

KM_SHARED_SUITE(VerdictMessages);

TEST_F(VerdictMessages, SayWithWhichInputsAnAnswerFails) {
  const Verdict verdict = Say(Relu("", "", "if (i < n) y[i] = x[i];"));
  EXPECT_EQ(verdict.reason, "values");
  EXPECT_THAT(verdict.feedback, HasSubstr("It fails at the task's own sizes, for inputs as "
                                          "get_inputs() makes them.\n"));
}

TEST_F(VerdictMessages, NameTheRuleTheLineAndALegalWay) {
  const Verdict verdict = Say(Relu("", "y = torch::relu(x);", kRight));
  EXPECT_EQ(verdict.reason, "torch_compute");
  EXPECT_THAT(verdict.feedback, HasSubstr("- cuda.cu:13: calls torch::relu\n"));
  EXPECT_THAT(verdict.feedback, HasSubstr("Instead: compute it in a kernel"));
}

TEST_F(VerdictMessages, NameTheVariableThatCounts) {
  const Verdict verdict = Say(
      Relu("", "static int calls = 0;\n  calls = calls + 1;\n  if (calls > 3) return x;", kRight));
  EXPECT_EQ(verdict.reason, "fallback");
  EXPECT_THAT(verdict.feedback,
              HasSubstr("cuda.cu:15: the condition reads calls, which line 14 changes"));
}

TEST_F(VerdictMessages, HaveTheDeviceCompilersWordsAndNoPathOfOurs) {
  const Verdict verdict = Say(Relu("", "", "if (i < n) y[i] = fmaxf(x[i], 0.0f)"));
  EXPECT_EQ(StatusName(verdict.status), "not_built");
  EXPECT_EQ(verdict.reason, "compile_error");
  // clang says: expected ';' after expression.
  EXPECT_THAT(verdict.feedback, HasSubstr("cuda.cu:7: error: expected a \";\""));
  EXPECT_THAT(verdict.feedback, Not(HasSubstr("/km/")));
}

TEST_F(VerdictMessages, AccuseNobodyOfWhatIsMissingHere) {
  const Verdict triton =
      Say("import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n"
          "@triton.jit\ndef relu_kernel(x, y, n: tl.constexpr):\n    tl.store(y, tl.load(x))\n\n\n"
          "class ModelNew(nn.Module):\n    def forward(self, x):\n        y = torch.empty_like(x)\n"
          "        relu_kernel[(1,)](x, y, x.numel())\n        return y\n");
  EXPECT_EQ(StatusName(triton.status), "unsupported") << triton.ToJson().Pretty();
  EXPECT_EQ(triton.detail, "kernels in Triton");
  EXPECT_EQ(triton.Reward(), std::nullopt);
}

}  // namespace
}  // namespace kernelmill
