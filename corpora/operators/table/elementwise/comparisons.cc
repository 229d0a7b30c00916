// Rows of comparisons and tests of single elements, which return bools.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kComparison;

bool CompareNumberInfer(const OperatorUse& use, Types* results) {
  results->push_back({DType::kBool, use.shape(0)});
  return true;
}

bool ProposeNumber(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  attributes[0] = IsFloating(inputs[0]->dtype) ? Attribute::Number(double(draw->Integer(-4, 4)) / 4)
                                               : Attribute::Integer(draw->Integer(0, 4));
  return true;
}

}  // namespace

void AddComparisons(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "eq",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferCompared<>,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 == $1",
                   .spellings = {"torch.eq", "torch.Tensor.eq", "torch.Tensor.__eq__"},
                   .weight = 5,
                   .commutative = true,
                   .question = ResultQuestion::kZeroOrEqual});
  rows->push_back(
      {.name = "ne",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferCompared<>,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfBool,
       .cost = CostPerElement<1>,
       .scalar = "$0 != $1",
       .spellings = {"torch.ne", "torch.Tensor.ne", "torch.Tensor.__ne__", "torch.not_equal"},
       .weight = 1,
       .commutative = true,
       .question = ResultQuestion::kZeroOrEqual});
  rows->push_back(
      {.name = "lt",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferCompared<>,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfBool,
       .cost = CostPerElement<1>,
       .scalar = "$0 < $1",
       .spellings = {"torch.lt", "torch.Tensor.lt", "torch.Tensor.__lt__", "torch.less"},
       .weight = 1});
  rows->push_back(
      {.name = "le",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferCompared<>,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfBool,
       .cost = CostPerElement<1>,
       .scalar = "$0 <= $1",
       .spellings = {"torch.le", "torch.Tensor.le", "torch.Tensor.__le__", "torch.less_equal"},
       .weight = 1});
  rows->push_back(
      {.name = "gt",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferCompared<>,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfBool,
       .cost = CostPerElement<1>,
       .scalar = "$0 > $1",
       .spellings = {"torch.gt", "torch.Tensor.gt", "torch.Tensor.__gt__", "torch.greater"},
       .weight = 2});
  rows->push_back(
      {.name = "ge",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferCompared<>,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfBool,
       .cost = CostPerElement<1>,
       .scalar = "$0 >= $1",
       .spellings = {"torch.ge", "torch.Tensor.ge", "torch.Tensor.__ge__", "torch.greater_equal"},
       .weight = 1});
  rows->push_back({.name = "eq_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = CompareNumberInfer,
                   .propose = ProposeNumber,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 == {other}",
                   .rounds_numbers = true,
                   .spellings = {"torch.eq", "torch.Tensor.eq", "torch.Tensor.__eq__"},
                   .weight = 5,
                   .question = ResultQuestion::kZeroOrEqual});
  rows->push_back({.name = "ne_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = CompareNumberInfer,
                   .propose = ProposeNumber,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 != {other}",
                   .rounds_numbers = true,
                   .spellings = {"torch.ne", "torch.Tensor.ne", "torch.Tensor.__ne__"},
                   .weight = 1,
                   .question = ResultQuestion::kZeroOrEqual});
  rows->push_back({.name = "lt_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = CompareNumberInfer,
                   .propose = ProposeNumber,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 < {other}",
                   .rounds_numbers = true,
                   .spellings = {"torch.lt", "torch.Tensor.lt", "torch.Tensor.__lt__"},
                   .weight = 1,
                   .question = ResultQuestion::kOrder});
  rows->push_back({.name = "le_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = CompareNumberInfer,
                   .propose = ProposeNumber,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 <= {other}",
                   .rounds_numbers = true,
                   .spellings = {"torch.le", "torch.Tensor.le", "torch.Tensor.__le__"},
                   .weight = 1,
                   .question = ResultQuestion::kOrder});
  rows->push_back({.name = "gt_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = CompareNumberInfer,
                   .propose = ProposeNumber,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 > {other}",
                   .rounds_numbers = true,
                   .spellings = {"torch.gt", "torch.Tensor.gt", "torch.Tensor.__gt__"},
                   .weight = 2,
                   .question = ResultQuestion::kOrder});
  rows->push_back({.name = "ge_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = CompareNumberInfer,
                   .propose = ProposeNumber,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 >= {other}",
                   .rounds_numbers = true,
                   .spellings = {"torch.ge", "torch.Tensor.ge", "torch.Tensor.__ge__"},
                   .weight = 1,
                   .question = ResultQuestion::kOrder});
  rows->push_back({.name = "logical_and",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferCompared<>,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 && $1",
                   .spellings = {"torch.logical_and", "torch.Tensor.logical_and"},
                   .weight = 0.6,
                   .commutative = true,
                   .question = ResultQuestion::kZeroOrEqual});
  rows->push_back({.name = "logical_or",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferCompared<>,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 || $1",
                   .spellings = {"torch.logical_or", "torch.Tensor.logical_or"},
                   .weight = 0.6,
                   .commutative = true,
                   .question = ResultQuestion::kZeroOrEqual});
  rows->push_back({.name = "logical_xor",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferCompared<>,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "!$0 != !$1",
                   .spellings = {"torch.logical_xor", "torch.Tensor.logical_xor"},
                   .weight = 0.3,
                   .commutative = true,
                   .question = ResultQuestion::kZeroOrEqual});
  rows->push_back({.name = "logical_not",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferCompared<>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "!$0",
                   .spellings = {"torch.logical_not", "torch.Tensor.logical_not"},
                   .weight = 1,
                   .question = ResultQuestion::kZeroOrEqual});

  rows->push_back({.name = "isnan",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferCompared<>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 != $0",
                   .spellings = {"torch.isnan", "torch.Tensor.isnan"},
                   .weight = 1,
                   .sampler = {.never_drawn = "inputs are finite"}});

  rows->push_back({.name = "isinf",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferCompared<>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "isinf($0)",
                   .integral_scalar = "false",
                   .spellings = {"torch.isinf", "torch.Tensor.isinf"},
                   .weight = 0.4,
                   .sampler = {.never_drawn = "inputs are finite"}});

  rows->push_back({.name = "isfinite",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferCompared<>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "isfinite($0)",
                   .integral_scalar = "true",
                   .spellings = {"torch.isfinite", "torch.Tensor.isfinite"},
                   .weight = 0.4,
                   .sampler = {.never_drawn = "inputs are finite"}});

  rows->push_back({.name = "signbit",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferCompared<>,
                   .range = RangeOfBool,
                   .cost = CostPerElement<1>,
                   .scalar = "signbit($0)",
                   .integral_scalar = "$0 < 0",
                   .spellings = {"torch.signbit", "torch.Tensor.signbit"},
                   .weight = 0.2,
                   .question = ResultQuestion::kSign});
}

}  // namespace kernelmill
