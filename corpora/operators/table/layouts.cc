// Operators that put the same elements elsewhere: nothing is computed, all is copied.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kLayout;

bool CatInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), use.shape(0)};
  int dim = 0;
  if (type.shape.rank() == 0 || !WrapDimension(use.integer(0), type.shape.rank(), &dim)) {
    return false;
  }
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    const Shape& shape = use.shape(int(i));
    if (shape.rank() != type.shape.rank()) return false;
    for (int j = 0; j < shape.rank(); ++j) {
      if (j != dim && shape[j] != type.shape[j]) return false;
    }
    type.shape[dim] += shape[dim];
  }
  results->push_back(type);
  return true;
}

bool CatInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  int dim = 0;
  if (first.shape.rank() == 0 ||
      !WrapDimension(attributes[0].integer(), first.shape.rank(), &dim)) {
    return false;
  }
  for (std::int64_t i = draw->Integer(1, 3); i > 0; --i) {
    TensorType type = first;
    if (draw->Chance(0.3)) type.shape[dim] = draw->Binned(1, 2 * type.shape[dim]);
    inputs->push_back({type, UsualRange(type.dtype)});
  }
  return true;
}

}  // namespace

void AddLayouts(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "cat",
                   .family = kFamily,
                   .operands = {{"tensors", OperandRow::Role::kList}},
                   .attributes = {Dimension("dim", Attribute::Integer(0))},
                   .infer = CatInfer,
                   .inputs = CatInputs,
                   .range = RangeOfAll,
                   .cost = CostOfCopy,
                   .spellings = {"torch.cat", "torch.concat", "torch.concatenate"},
                   .weight = 32});
}

}  // namespace kernelmill
