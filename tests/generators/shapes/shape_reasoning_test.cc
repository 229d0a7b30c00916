#include "generators/shapes/shape_reasoning.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TensorFacts Tensor(std::vector<std::int64_t> shape, std::vector<std::int64_t> stride) {
  return {std::move(shape), "float32", std::move(stride)};
}

// The answer about a module whose class calls a function that is defined above it.
std::string Answer(std::int64_t seed) {
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
  annotation.operators = {{6, "t", {Tensor({3, 2}, {1, 3})}},
                          {2, "add_", {Tensor({3, 2}, {1, 3})}}};
  annotation.outputs = {Tensor({3, 2}, {1, 3})};
  const std::optional<TrainingRecord> record =
      WriteShapeReasoning(Digest(), task, annotation, seed);
  EXPECT_TRUE(record.has_value());
  return record ? record->messages.back().content : "";
}

constexpr int kSeeds = 40;  // Enough for every layout.

TEST(ShapeReasoning, FollowsTheExecutionAndNotTheSource) {
  int numbered = 0, tables = 0;
  for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string answer = Answer(seed);
    std::size_t last = 0;
    for (const std::string step :
         {"`def twice(x):`", "`x.add_(x)`", "`return x`", "`y = twice(x.t())`", "`return y`"}) {
      const std::size_t at = answer.find(step, last);
      ASSERT_NE(at, std::string::npos) << step << " is not in, or not in its place in\n" << answer;
      last = at;
    }
    // The question has the arguments, and does not number its lines.
    EXPECT_EQ(answer.find("def forward"), std::string::npos);
    EXPECT_EQ(answer.find("ine "), std::string::npos) << answer;
    numbered += answer.find("5. `return y`") != std::string::npos;
    tables += answer.find("| --- |") != std::string::npos;
  }
  EXPECT_GT(numbered, 0);
  EXPECT_GT(tables, 0);
  EXPECT_EQ(numbered + tables, kSeeds);
}

TEST(ShapeReasoning, SaysWhereMemoryIsNotContiguous) {
  for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string answer = Answer(seed);
    // The strides of `y` are given, and not those of `x`, which is dense. The dtype stands next to
    // each shape, or once for all of them.
    const bool each = answer.find("(3, 2) float32") != std::string::npos;
    EXPECT_NE(answer.find("float32"), std::string::npos) << answer;
    EXPECT_NE(answer.find(each ? "(3, 2) float32, " : "(3, 2), "), std::string::npos) << answer;
    EXPECT_NE(answer.find("strides (1, 3)"), std::string::npos) << answer;
    EXPECT_EQ(answer.find("strides (3, 1)"), std::string::npos) << answer;
  }
}

}  // namespace
}  // namespace kernelmill
