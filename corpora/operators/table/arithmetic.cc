// Arithmetic of two tensors, or of a tensor and a number, element by element.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

// torch.add(input, other, alpha): a number with a fraction does not scale integers, and only a
// bool's 1 is one of bool.
bool AddInfer(const OperatorUse& use, Types* results) {
  const DType dtype = ResultDType(use);
  if (!IsFloating(dtype) && use.attribute(0).kind() == Attribute::Kind::kNumber) return false;
  return InferBroadcast<kAnyDType>(use, results);
}

bool AddPropose(Draw* draw, std::span<const TensorType* const> inputs,
                std::span<Attribute> attributes) {
  if (draw->Chance(0.9) || inputs[0]->dtype == DType::kBool) return true;
  attributes[0] = IsFloating(inputs[0]->dtype) ? Attribute::Number(double(draw->Integer(1, 8)) / 4)
                                               : Attribute::Integer(draw->Integer(2, 4));
  return true;
}

bool AddRangeRule(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(ResultDType(use),
                  PlusOf(operands[0], Scaled(operands[1], use.attribute(0).number())), results);
}

bool MulRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Range range = ProductOf(operands[0], operands[1]);
  if (use.operands[0] == use.operands[1]) range.low = std::fmax(range.low, 0);
  return AddRange(ResultDType(use), range, results);
}

}  // namespace

void AddArithmetic(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "add",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .attributes = {KeywordOnly(
                       Proposed("alpha", Attribute::Kind::kNumber, Attribute::Integer(1)))},
                   .infer = AddInfer,
                   .propose = AddPropose,
                   .inputs = InputsBroadcast<1>,
                   .range = AddRangeRule,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 + {alpha} * $1",
                   .spellings = {"torch.add", "torch.Tensor.add", "torch.Tensor.__add__"},
                   .weight = 70,
                   .commutative = true});
  rows->push_back(
      {.name = "mul",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast<kAnyDType>,
       .inputs = InputsBroadcast<1>,
       .range = MulRange,
       .cost = CostPerElement<1>,
       .scalar = "$0 * $1",
       .spellings = {"torch.mul", "torch.Tensor.mul", "torch.Tensor.__mul__", "torch.multiply"},
       .weight = 60,
       .commutative = true});
}

}  // namespace kernelmill
