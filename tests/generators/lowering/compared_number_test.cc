// torch rounds a number to half precision before it compares it with half values, and kernels do
// the same: 0.1 in float16 is 0.0999755859375, so an element of that value is not below the number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "corpora/operators/operator_table.h"
#include "generators/lowering/lower_graph.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

// The answer to torch.where(x >= 0.1, x * 2, x - 1).
std::string AnswerFor(DType dtype) {
  OperatorGraph graph;
  const ValueId x = graph.AddValue({dtype, {512}}, ValueRole::kInput, {-7, 7, 1});
  const auto apply = [&](const char* name, std::vector<ValueId> operands,
                         std::vector<Attribute> attributes) {
    const OperatorRow& row = *FindOperator(name);
    while (attributes.size() < row.attributes.size()) {
      attributes.push_back(row.attributes[attributes.size()].default_value);
    }
    const ValueId result = graph.Apply(row, operands, attributes);
    EXPECT_NE(result, kAbsent) << name;
    return result;
  };
  const ValueId least = apply("ge_scalar", {x}, {Attribute::Number(0.1)});
  const ValueId twice = apply("mul_scalar", {x}, {Attribute::Number(2)});
  const ValueId less = apply("sub_scalar", {x}, {Attribute::Number(1)});
  const ValueId chosen = apply("where", {least, twice, less}, {});
  graph.SetOutputs(std::span(&chosen, 1));
  ModuleText module;
  module.inputs = {"x"};
  module.values = {"x"};
  const Lowering lowering = LowerGraph(graph, module, {});
  EXPECT_TRUE(lowering.answer) << lowering.obstacle;
  return lowering.answer ? lowering.answer->text : "";
}

TEST(ComparedNumber, IsRoundedAsTorchRoundsIt) {
  EXPECT_THAT(AnswerFor(DType::kFloat32), HasSubstr(">= 0.1f"));
  const std::string half = AnswerFor(DType::kFloat16);
  EXPECT_THAT(half, HasSubstr(">= 0.099975586f"));
  EXPECT_THAT(half, Not(HasSubstr("0.1f")));
  EXPECT_THAT(AnswerFor(DType::kBFloat16), HasSubstr(">= 0.100097656f"));
}

}  // namespace
}  // namespace kernelmill
