#include "generators/reasoning/copying_functions.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

Candidate AnswerWith(const std::string& forward) {
  Candidate answer;
  answer.code =
      "\ntorch::Tensor f_forward(torch::Tensor x, torch::Tensor y) {\n"
      "  x = x.contiguous();\n  y = y.contiguous();\n}\n"
      "\n    def forward(self, a, b):\n" +
      forward;
  return answer;
}

Task TaskWith(const std::string& draws) {
  Task task;
  task.code = "def get_inputs():\n" + draws;
  task.inputs = {{"a", "float32", {2, 3, 4, 5}, "randn", 0, 0},
                 {"b", "float32", {2, 3, 4, 5}, "randn", 0, 0}};
  return task;
}

constexpr char kDense[] = "    return [torch.randn(2, 3, 4, 5), torch.randn(2, 3, 4, 5)]\n";

TEST(CopyingFunctions, CopyInputsInAnotherLayout) {
  const Candidate answer = AnswerWith("        return ops.f_forward(a, b)\n");
  EXPECT_TRUE(CopyingFunctions(answer, TaskWith(kDense), {}).empty());
  const std::vector<CopyingFunction> one = {{"f_forward", true, 960}};
  EXPECT_EQ(CopyingFunctions(answer,
                             TaskWith("    return [torch.randn(2, 3, 4, 5), "
                                      "torch.randn(2, 3, 4, 5).contiguous("
                                      "memory_format=torch.channels_last)]\n"),
                             {}),
            one);
  EXPECT_EQ(CopyingFunctions(answer,
                             TaskWith("    a = torch.randn(2, 3, 5, 4).transpose(-2, -1)\n"
                                      "    b = torch.randn(2, 3, 4, 5)\n"
                                      "    return [a, b]\n"),
                             {}),
            one);
}

TEST(CopyingFunctions, DoNotCopyAResultOfTheSameName) {
  const Task task = TaskWith(
      "    a = torch.randn(2, 3, 4, 10)[..., ::2]\n    b = torch.randn(2, 3, 4, 5)\n"
      "    return [a, b]\n");
  const std::vector<CopyingFunction> one = {{"f_forward", true, 960}};
  EXPECT_EQ(CopyingFunctions(AnswerWith("        a = ops.f_forward(a, b)\n"
                                        "        return ops.f_forward(a, b)\n"),
                             task, {}),
            one);
}

TEST(CopyingFunctions, CopyTransposedViews) {
  const Candidate answer = AnswerWith(
      "        c = a.transpose(0, 1)\n"
      "        return ops.f_forward(c, b)\n");
  const std::vector<CopyingFunction> unknown = {{"f_forward", false, 0}};
  EXPECT_EQ(CopyingFunctions(answer, TaskWith(kDense), {}), unknown);
  Annotation facts;
  facts.operators = {
      {.name = "transpose", .outputs = {{.shape = {3, 2, 4, 5}, .dtype = "float16"}}}};
  const std::vector<CopyingFunction> one = {{"f_forward", false, 480}};
  EXPECT_EQ(CopyingFunctions(answer, TaskWith(kDense), facts), one);
}

}  // namespace
}  // namespace kernelmill
