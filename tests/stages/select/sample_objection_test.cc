#include "stages/select/sample_objection.h"

#include <gtest/gtest.h>

#include "manifests/reason.h"

namespace kernelmill {
namespace {

constexpr char kCode[] = "class ModelNew:\n    pass\n";
constexpr char kMessage[] = "Here it is:\n```python\nclass ModelNew:\n    pass\n```\nDone.\n";

SampleText Sample(std::string_view reasoning, std::string_view message = kMessage) {
  return {.message = message, .reasoning = reasoning, .judged_code = kCode};
}

// Words that do not repeat.
std::string Prose(int words, int first = 0) {
  std::string text;
  for (int i = 0; i < words; ++i) text += "word" + std::to_string(first + i) + ' ';
  return text;
}

std::string Repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(SampleObjection, HasNoneAgainstAPlainSample) {
  EXPECT_EQ(SampleObjection(Sample(Prose(3000))), "");
  EXPECT_EQ(SampleObjection(Sample("")), "");
  EXPECT_EQ(SampleObjection({.judged_code = kCode, .code_only = true}), "");
}

TEST(SampleObjection, FindsWhatWasCutOff) {
  SampleText stopped = Sample("x");
  stopped.cut = true;
  EXPECT_EQ(SampleObjection(stopped), "cut_off");
}

TEST(SampleObjection, FindsReasoningThatLoops) {
  const std::string doubt =
      "Wait, let me check the index once more, because the row may be longer than the block. ";
  EXPECT_EQ(SampleObjection(Sample(Prose(500) + Repeated(doubt, 30))), "reasoning_loops");
  // It loops for a while, and then goes on.
  EXPECT_EQ(SampleObjection(Sample(Repeated(doubt, 30) + Prose(2000))), "reasoning_loops");
  // The same sentence here and there in a long text.
  std::string rare;
  for (int i = 0; i < 20; ++i) rare += Prose(200, 200 * i) + doubt;
  EXPECT_EQ(SampleObjection(Sample(rare)), "");
  // Chinese has no white space.
  std::string loop;
  for (int i = 0; i < 40; ++i) loop += "等等，让我再检查一下索引，因为这一行可能比线程块更长。";
  EXPECT_EQ(SampleObjection(Sample(loop)), "reasoning_loops");
  // Short texts and code may repeat themselves.
  EXPECT_FALSE(Repeats(Repeated("a b c ", 10)));
  EXPECT_FALSE(Repeats("```\n" + Repeated("acc += a[k] * b[k]; k += 1;\n", 500) + "```\n"));
}

TEST(SampleObjection, FindsPlansToFallBack) {
  for (const char* plan :
       {"If the tensor is on the CPU, I will fall back to torch.matmul.",
        "Fine.\nFor odd sizes we use cuBLAS as a fallback. Good.",
        "This is hard, so let's just use F.softmax for the rest!",
        "We can fall back to torch.mm for odd sizes instead of writing another kernel.",
        "I will just call torch.nn.functional.layer_norm, which is not slow.",
        "Fall back to PyTorch's implementation.", "I'll just use at::softmax here.",
        "这种情况比较复杂，就回退到torch.matmul。", "否则直接调用cuBLAS。"}) {
    EXPECT_EQ(SampleObjection(Sample(plan)), "plans_fallback") << plan;
  }
  for (const char* refusal :
       {"We must not fall back to torch.matmul.", "No fallback to PyTorch is allowed.",
        "Without falling back to cuBLAS, a tile of 64 is the best.",
        "If the row is short we fall back to one warp.", "torch.matmul computes the product.",
        "In forward() I just call self.kernels.conv_forward(x, self.weight).",
        "I'll just use self.weight.data_ptr() here.",
        "The host code will just call torch::empty_like for the output.",
        "Then I just call torch.utils.cpp_extension.load_inline.",
        "For small rows we fall back to one warp per row; the latency is the same.",
        "Instead of falling back to torch.mm for odd sizes, the last tile is guarded.",
        "不能回退到torch.matmul。", "避免直接调用cuBLAS。", "这里直接调用torch::empty分配输出。"}) {
    EXPECT_EQ(SampleObjection(Sample(refusal)), "") << refusal;
  }
}

TEST(SampleObjection, FindsThatTheLastCodeIsNotTheJudgedOne) {
  const std::string two = std::string(kMessage) +
                          "Better:\n```python\nclass ModelNew:\n    better = True\n```\n";
  EXPECT_EQ(SampleObjection(Sample("", two)), "code_differs");
  EXPECT_EQ(SampleObjection({.message = two, .judged_code = "class ModelNew:\n    better = True"}),
            "");
  // A later block that is no answer does not count.
  EXPECT_EQ(SampleObjection(Sample("", std::string(kMessage) + "```sh\npython a.py\n```\n")), "");
}

TEST(SampleObjection, EveryReasonIsExplained) {
  for (const char* reason : {"cut_off", "reasoning_loops", "plans_fallback", "code_differs"}) {
    EXPECT_FALSE(ExplainReason(reason).empty());
  }
}

}  // namespace
}  // namespace kernelmill
