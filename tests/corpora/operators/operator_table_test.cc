#include "corpora/operators/operator_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "corpora/operators/scalar_expression.h"

namespace kernelmill {
namespace {

TEST(OperatorTable, HasMoreThanOneHundredAndSixtyRowsOfDifferentNames) {
  std::set<std::string_view> names;
  for (const OperatorRow& row : Operators()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(FindOperator(row.name), &row);
  }
  EXPECT_GE(names.size(), 160u);
  EXPECT_EQ(FindOperator("conv9d"), nullptr);
}

TEST(OperatorTable, RowsAreWhole) {
  for (const OperatorRow& row : Operators()) {
    SCOPED_TRACE(row.name);
    EXPECT_NE(row.infer, nullptr);
    EXPECT_NE(row.range, nullptr);
    EXPECT_NE(row.cost, nullptr);
    EXPECT_GT(row.weight, 0);
    ASSERT_FALSE(row.spellings.empty());
    bool proposed = false, learned = false;
    for (const AttributeRow& attribute : row.attributes) {
      proposed |= attribute.draw.kind == AttributeDraw::Kind::kProposed;
      EXPECT_EQ(attribute.kind == Attribute::Kind::kChoice, !attribute.choices.empty())
          << attribute.name;
    }
    for (const OperandRow& operand : row.operands) {
      learned |= operand.role == OperandRow::Role::kParameter ||
                 operand.role == OperandRow::Role::kParameters;
    }
    EXPECT_TRUE(!proposed || row.propose != nullptr);
    EXPECT_EQ(learned, row.parameters != nullptr);
  }
}

TEST(OperatorTable, SpellingsFindAllThatTheyStandFor) {
  for (const OperatorRow& row : Operators()) {
    for (const std::string_view spelling : row.spellings) {
      const auto found = OperatorsSpelled(spelling);
      EXPECT_EQ(std::count(found.begin(), found.end(), &row), 1) << spelling;
    }
  }
  const auto additions = OperatorsSpelled("torch.Tensor.__add__");
  ASSERT_EQ(additions.size(), 2u);
  EXPECT_EQ(additions[0]->name, "add");
  EXPECT_EQ(additions[1]->name, "add_scalar");
  EXPECT_TRUE(OperatorsSpelled("torch.nowhere").empty());
}

TEST(OperatorTable, ConstructionsNameWhatTheRowHas) {
  for (const OperatorRow& row : Operators()) {
    for (const ModuleArgument& argument : row.construction.arguments) {
      EXPECT_LT(argument.operand, int(row.operands.size())) << row.name;
      const bool named = std::any_of(
          row.attributes.begin(), row.attributes.end(),
          [&](const AttributeRow& attribute) { return attribute.name == argument.attribute; });
      EXPECT_EQ(named, argument.operand < 0) << row.name << ' ' << argument.attribute;
    }
  }
}

TEST(OperatorTable, RowsThatKeepSizesDo) {
  int kept = 0;
  for (const OperatorRow& row : Operators()) {
    if (!row.traits.keeps_sizes) continue;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Draw draw(seed);
      const TensorType first = {DType::kFloat32, {4, 8, 6}};
      const TensorType* const one[] = {&first};
      std::vector<Attribute> attributes;
      if (!row.DrawAttributes(&draw, one, &attributes)) continue;
      std::vector<NewTensor> inputs = {{first, Range::Normal(1)}};
      if (row.inputs != nullptr && !row.inputs(&draw, attributes, &inputs)) continue;
      std::vector<const TensorType*> operands;
      for (const NewTensor& input : inputs) operands.push_back(&input.type);
      std::vector<TensorType> results;
      if (!row.infer({operands, attributes}, &results)) continue;
      for (const TensorType& result : results) {
        EXPECT_EQ(result.shape, first.shape) << row.name;
        ++kept;
      }
    }
  }
  EXPECT_GT(kept, 200);
}

TEST(OperatorTable, RowsThatAreAnotherNameIt) {
  const OperatorRow& clamp_min = *FindOperator("clamp_min");
  const TensorType type = {DType::kFloat32, {4}};
  const TensorType* const operands[] = {&type};
  const Attribute low[] = {Attribute::Number(0.5)};
  std::vector<Attribute> attributes;
  EXPECT_EQ(clamp_min.same_as({operands, low}, type, &attributes), "clamp");
  ASSERT_EQ(attributes.size(), FindOperator("clamp")->attributes.size());
  EXPECT_EQ(attributes[0], low[0]);
  EXPECT_TRUE(attributes[1].is_none());
}

TEST(OperatorTable, ElementwiseRowsHaveExpressions) {
  for (const OperatorRow& row : Operators()) {
    const bool elementwise =
        row.family == OperatorFamily::kElementwise || row.family == OperatorFamily::kComparison ||
        row.family == OperatorFamily::kSelection || row.family == OperatorFamily::kCast ||
        (row.family == OperatorFamily::kActivation && row.name != "glu");
    if (!elementwise) continue;
    EXPECT_TRUE(!row.scalar.empty() || row.scalar_of != nullptr) << row.name;
  }
}

TEST(Draw, LaterNumbersDoNotDependOnEarlierBounds) {
  Draw narrow(7), wide(7);
  narrow.Integer(3, 3);
  wide.Integer(0, 1000);
  narrow.Binned(4, 4);
  wide.Binned(1, 4096);
  EXPECT_EQ(narrow.Next(), wide.Next());
}

TEST(Draw, BinnedReachesBothEnds) {
  Draw draw(1);
  std::set<std::int64_t> drawn;
  for (int i = 0; i < 2000; ++i) drawn.insert(draw.Binned(3, 20));
  EXPECT_EQ(*drawn.begin(), 3);
  EXPECT_EQ(*drawn.rbegin(), 20);
}

TEST(Literal, IsOfTheTypeThatIsComputedIn) {
  EXPECT_EQ(Literal(1, DType::kFloat32), "1.0f");
  EXPECT_EQ(Literal(0.1, DType::kBFloat16), "0.1f");
  EXPECT_EQ(Literal(1e-9, DType::kFloat32), "1e-09f");
  EXPECT_EQ(Literal(0.1, DType::kFloat64), "0.1");
  EXPECT_EQ(Literal(-3, DType::kInt32), "-3");
  EXPECT_EQ(Literal(-1, DType::kUInt8), "255");
  EXPECT_EQ(Literal(2, DType::kBool), "true");
  EXPECT_EQ(Literal(-std::numeric_limits<double>::infinity(), DType::kFloat32), "-INFINITY");
  EXPECT_EQ(Literal(1e100, DType::kFloat32), "INFINITY");
  EXPECT_EQ(Literal(1e100, DType::kFloat64), "1e+100");
}

TEST(ScalarExpression, PutsOperandsAndNumbersInPlace) {
  const TensorType half{DType::kFloat16, {4}};
  const TensorType* operands[] = {&half};
  const std::string names[] = {"x"};
  const Attribute slope[] = {Attribute::Number(0.2)};
  EXPECT_EQ(ScalarExpression(*FindOperator("leaky_relu"), {operands, slope}, half.dtype, names),
            "x > 0.0f ? x : x * 0.2f");
  // Numbers in comparisons are rounded to half precision first.
  const Attribute bound[] = {Attribute::Number(0.1)};
  EXPECT_EQ(ScalarExpression(*FindOperator("gt_scalar"), {operands, bound}, DType::kBool, names),
            "x > 0.099975586f");
  EXPECT_EQ(ScalarExpression(*FindOperator("softmax"), {operands, {}}, half.dtype, names), "");
}

}  // namespace
}  // namespace kernelmill
