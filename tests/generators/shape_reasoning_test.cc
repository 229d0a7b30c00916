#include "generators/shape_reasoning.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TensorFacts Tensor(std::vector<std::int64_t> shape, std::vector<std::int64_t> stride) {
  return {std::move(shape), "float32", std::move(stride)};
}

// The answer of the record about a module whose helper stands above the class.
std::string Answer() {
  Task task;
  task.code =
      "def twice(x):\n"
      "    x.add_(x)\n"
      "    return x\n"
      "class Model(nn.Module):\n"
      "    def forward(self, x):\n"
      "        y = twice(x.t())\n"
      "        return y\n";
  task.inputs = {{"x", "float32", {2, 3}, "randn", 0, 0}};
  Annotation annotation;
  annotation.values = {{5, "x", Tensor({2, 3}, {3, 1})},
                       {1, "x", Tensor({3, 2}, {1, 3})},
                       {3, "return", Tensor({3, 2}, {1, 3})},
                       {6, "y", Tensor({3, 2}, {1, 3})},
                       {7, "return", Tensor({3, 2}, {1, 3})}};
  annotation.operators = {{6, "t", {Tensor({3, 2}, {1, 3})}}, {2, "add_", {Tensor({3, 2}, {1, 3})}}};
  annotation.outputs = {Tensor({3, 2}, {1, 3})};
  const std::optional<TrainingRecord> record = WriteShapeReasoning(Digest(), task, annotation, 7);
  EXPECT_TRUE(record.has_value());
  return record ? record->messages.back().content : "";
}

TEST(ShapeReasoning, FollowsTheExecutionAndNotTheSource) {
  const std::string answer = Answer();
  std::size_t last = 0;
  for (const char* step : {"1. `def forward(self, x):`", "2. `def twice(x):`", "3. `x.add_(x)`",
                           "4. `return x`", "5. `y = twice(x.t())`", "6. `return y`"}) {
    const std::size_t at = answer.find(step);
    ASSERT_NE(at, std::string::npos) << step << " is not in\n" << answer;
    EXPECT_GE(at, last);
    last = at;
  }
}

TEST(ShapeReasoning, SaysWhereMemoryIsNotContiguous) {
  const std::string answer = Answer();
  EXPECT_NE(answer.find("`x`: (2, 3) float32\n"), std::string::npos) << answer;
  EXPECT_NE(answer.find("`y`: (3, 2) float32, strides (1, 3) (a view, not contiguous)"),
            std::string::npos)
      << answer;
}

}  // namespace
}  // namespace kernelmill
