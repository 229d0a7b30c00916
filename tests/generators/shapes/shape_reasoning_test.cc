#include "generators/shapes/shape_reasoning.h"

#include <gtest/gtest.h>

#include "generators/shapes/kernel_remarks.h"

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

TEST(ShapeReasoning, GivesNoSymbolsBesideANumberThatNothingFixes) {
  const auto answer = [](const std::string& view, const std::string& first) {
    Task task;
    task.code = "class Model(nn.Module):\n    def forward(self, x):\n        return " + view +
                "\n\n\ndef get_init_inputs():\n    return []\n";
    task.inputs = {{"x", "float32", {6, 4}, "randn", 0, 0}};
    Annotation annotation;
    annotation.values = {{2, "x", Tensor({6, 4}, {4, 1})}, {3, "return", Tensor({6, 4}, {4, 1})}};
    annotation.operators = {{3, "relu", {Tensor({6, 4}, {4, 1})}}};
    annotation.outputs = {Tensor({6, 4}, {4, 1})};
    const SymbolicShape shape = {first, "s1"};
    annotation.symbolic.state = "followed";
    annotation.symbolic.symbols = {{"s1", 4}};
    if (first == "s0")
      annotation.symbolic.symbols.insert(annotation.symbolic.symbols.begin(), {first, 6});
    annotation.symbolic.inputs = annotation.symbolic.outputs = {shape};
    annotation.symbolic.values = {shape, shape};
    annotation.symbolic.operators = {{shape}};
    const auto record = WriteShapeReasoning(Digest(), task, annotation, 1);
    EXPECT_TRUE(record.has_value());
    return record ? record->messages.back().content : "";
  };
  EXPECT_NE(answer("x.relu()", "s0").find("With symbols"), std::string::npos);
  EXPECT_NE(answer("x.view(6, -1).relu()", "6").find("With symbols"), std::string::npos);
  EXPECT_EQ(answer("x.relu()", "6").find("With symbols"), std::string::npos);
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

TensorFacts Dense(std::vector<std::int64_t> shape) {
  std::vector<std::int64_t> stride(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) stride[i - 1] = stride[i] * shape[i];
  return Tensor(std::move(shape), std::move(stride));
}

TEST(KernelRemarks, NameTheLargestResultAlsoInsideOfALine) {
  const ValueStyle style{Wording(Digest(), 1)};
  Task task;
  task.inputs = {{"x", "float32", {8, 1}, "randn", 0, 0}};
  Annotation annotation;
  annotation.outputs = {Dense({8})};
  annotation.values = {{1, "y", Dense({8})}};
  annotation.operators = {{1, "mul", {Dense({8, 64})}}, {1, "sum", {Dense({8})}}};
  const std::string inside = LargestResult(task, annotation, style);
  EXPECT_NE(inside.find("the result of `mul`, (8, 64)"), std::string::npos) << inside;
  EXPECT_NE(inside.find("loop of `sum` never stores it"), std::string::npos) << inside;
  // A view takes no memory, and an output is no intermediate tensor.
  annotation.operators = {{1, "expand", {Tensor({8, 64}, {1, 0})}}, {1, "sum", {Dense({8})}}};
  EXPECT_EQ(LargestResult(task, annotation, style), "");
  annotation.outputs.push_back(Dense({8, 64}));
  annotation.operators = {{1, "mul", {Dense({8, 64})}}};
  EXPECT_EQ(LargestResult(task, annotation, style), "");
}

TEST(KernelRemarks, FuseOnlyWhatHasOneShape) {
  const ValueStyle style{Wording(Digest(), 1)};
  Annotation annotation;
  annotation.operators = {
      {1, "matmul", {Dense({8, 64})}}, {1, "relu", {Dense({8, 64})}}, {1, "mul", {Dense({8, 64})}}};
  const std::string behind = FusibleRun(annotation, style);
  EXPECT_EQ(behind.find("`relu` and `mul` depend on the result of `matmul`"), 0u) << behind;
  annotation.operators[0].outputs = {Dense({64, 8})};
  EXPECT_EQ(FusibleRun(annotation, style).find("`relu` and `mul` work element by element"), 0u);
  annotation.operators[2].name = "relu";
  EXPECT_EQ(FusibleRun(annotation, style).find("The calls of `relu` work element by element"), 0u);
  annotation.operators[2].outputs = {Dense({8, 8, 65})};
  EXPECT_EQ(FusibleRun(annotation, style), "");
}

TEST(KernelRemarks, NameTheFusionThatSavesMost) {
  const ValueStyle style{Wording(Digest(), 1)};
  Annotation annotation;
  // As in (x - mean) * (var + eps).rsqrt() * gamma: the small results broadcast to the large ones.
  const TensorFacts large = Dense({2, 512, 32, 40}), small = Dense({2, 1, 32, 40});
  annotation.operators = {{1, "var", {small}}, {2, "mean", {small}},  {3, "sub", {large}},
                          {3, "add", {small}}, {3, "rsqrt", {small}}, {3, "mul", {large}},
                          {3, "mul", {large}}};
  const std::string all = FusibleRun(annotation, style);
  EXPECT_EQ(all.find("`sub`, `add`, `rsqrt` and `mul` work element by element on "
                     "(2, 512, 32, 40)"),
            0u)
      << all;
  // Two large intermediate results and two small ones, each written and read.
  EXPECT_NE(all.find(style.Bytes(2 * 4 * (2 * 1'310'720 + 2 * 2560))), std::string::npos) << all;
  // A reduction over everything is no part of it.
  annotation.operators = {{1, "mul", {large}}, {1, "pow", {large}}, {2, "max", {Dense({})}}};
  EXPECT_EQ(FusibleRun(annotation, style).find("`mul` and `pow` work element by element"), 0u);
  // Of two fusions the larger one is named, and what a launch outweighs is told as launches.
  annotation.operators = {{1, "add", {small}},
                          {1, "rsqrt", {small}},
                          {1, "matmul", {large}},
                          {2, "relu", {large}},
                          {3, "softmax", {large}}};
  EXPECT_EQ(FusibleRun(annotation, style).find("`relu` depends on the result of `matmul`"), 0u);
  annotation.operators.resize(2);
  EXPECT_NE(FusibleRun(annotation, style).find("that saves a launch"), std::string::npos);
}

TEST(KernelRemarks, ComparesTheBytesWithTheFlops) {
  const ValueStyle style{Wording(Digest(), 1)};
  Task task;
  task.inputs = {{"x", "float32", {64, 64, 1024}, "randn", 0, 0}};
  Annotation annotation;
  annotation.outputs = {Dense({64, 64, 96})};
  annotation.operators = {{1, "linear", annotation.outputs}};
  annotation.flops = 805'306'368;
  EXPECT_NE(LeastTraffic(task, annotation, style).find("so arithmetic decides the time"),
            std::string::npos);
  // What takes less time than the launches does not decide.
  annotation.flops = 50'000'000;
  task.inputs[0].shape = {96, 64};
  annotation.outputs = {Dense({96, 64})};
  EXPECT_NE(LeastTraffic(task, annotation, style).find("so both count"), std::string::npos);
  annotation.operators = {{1, "linear", annotation.outputs}, {2, "softmax", annotation.outputs}};
  EXPECT_NE(LeastTraffic(task, annotation, style).find("less than the launches of 2 kernels"),
            std::string::npos);
  annotation.operators.pop_back();
  annotation.flops = 1000;
  EXPECT_NE(LeastTraffic(task, annotation, style).find("if it reuses what it loads"),
            std::string::npos);
  task.inputs[0].shape = {64, 64, 1024};
  annotation.outputs = {Dense({64, 64, 96})};
  EXPECT_NE(LeastTraffic(task, annotation, style).find("each byte moves once"), std::string::npos);
}

TEST(KernelRemarks, ListTheBuffersBetweenOperators) {
  const ValueStyle style{Wording(Digest(), 1)};
  const Task task;
  Annotation annotation;
  annotation.outputs = {Dense({8})};
  const SymbolicShapeText symbols(task, annotation.symbolic);
  annotation.operators = {{1, "gelu", {Dense({8})}}};
  EXPECT_EQ(IntermediateBuffers(annotation, symbols, style).find("There is no intermediate buffer"),
            0u);
  annotation.operators = {{1, "mul", {Dense({8, 64})}}, {1, "sum", {Dense({8})}}};
  const std::string one = IntermediateBuffers(annotation, symbols, style);
  EXPECT_NE(one.find("one intermediate buffer: `mul` (8, 64), 2048 bytes."), std::string::npos)
      << one;
}

TEST(KernelRemarks, FollowTheReducedDimensionAndTheStrides) {
  const ValueStyle style{Wording(Digest(), 1)};
  Annotation annotation;
  const auto rows = [&](std::vector<std::int64_t> from, std::vector<std::int64_t> to) {
    annotation.operators = {{1, "mul", {Dense(std::move(from))}},
                            {1, "sum", {Dense(std::move(to))}}};
    return ReductionRemark(Task(), annotation, style);
  };
  EXPECT_EQ(rows({512, 100}, {512}).find("`sum` reduces 512 rows of 100 elements: a warp"), 0u);
  EXPECT_EQ(rows({4, 8192}, {4}).find("`sum` reduces 4 rows of 8192 elements: a block per row"),
            0u);
  EXPECT_EQ(rows({4, 65536}, {4}).find("`sum` reduces 4 rows of 65,536 elements: too few"), 0u);
  EXPECT_EQ(
      rows({512, 100}, {100}).find("`sum` reduces 100 columns of 512 elements, which lie 100 "),
      0u);
  EXPECT_EQ(rows({64, 64}, {64}), "");  // Either dimension may be the reduced one.
  const auto strided = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> stride) {
    annotation.values = {{1, "y", Tensor(std::move(shape), std::move(stride))}};
    return StridedValue(annotation);
  };
  EXPECT_NE(strided({64, 8}, {1, 64}).find("go along dimension 0"), std::string::npos);
  EXPECT_NE(strided({8, 64}, {192, 1}).find("needs no copy"), std::string::npos);
  EXPECT_NE(strided({8, 64}, {0, 1}).find("share one place"), std::string::npos);
  EXPECT_NE(strided({8, 64}, {256, 4}).find("lie 4 elements apart"), std::string::npos);
  EXPECT_EQ(strided({8, 1}, {1, 7}), "");
}

}  // namespace
}  // namespace kernelmill
