// Rows of operators that read elements by index: gather, index_select, take_along_dim and similar
// operators.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/index_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kGather;

bool GatherInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  if (!IndexesAlong(use, &dim)) return false;
  results->push_back({use.operand(kInput).dtype, use.shape(kIndex)});
  return true;
}

bool GatherInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  int dim = 0;
  if (first.shape.rank() == 0 || !WrapDimension(attributes[0].integer(), first.shape.rank(), &dim))
    return false;
  Shape shape = first.shape;
  shape[dim] = draw->Binned(1, 2 * shape[dim]);
  if (draw->Chance(0.3)) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (i != dim) shape[i] = draw->Integer(1, shape[i]);
    }
  }
  inputs->push_back(IndexTensor(shape, first.shape[dim]));
  return true;
}

bool GatherRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesFit(use, operands[kIndex])) return false;
  results->push_back(operands[kInput]);
  return true;
}

// index_select(input, dim, index), index_add and index_copy(input, dim, index, source),
// index_fill(input, dim, index, value): the index has one dimension.
bool IndexSelectInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType& index = use.operand(kIndex);
  if (!IndexedDimension(use, &dim) || !IsIndex(index.dtype) || index.shape.rank() > 1) return false;
  TensorType type = use.operand(kInput);
  if (type.shape.rank() > 0) type.shape[dim] = index.shape.Elements();
  if (type.shape.rank() == 0 && index.shape.Elements() != 1) return false;
  results->push_back(type);
  return true;
}

bool IndexSelectInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const Shape shape = (*inputs)[0].type.shape;
  int dim = 0;
  if (shape.rank() == 0 || !WrapDimension(attributes[0].integer(), shape.rank(), &dim))
    return false;
  inputs->push_back(IndexTensor({draw->Binned(1, 2 * shape[dim])}, shape[dim]));
  return true;
}

// take_along_dim(input, indices, dim): gather with broadcasting in all dimensions except dim.
bool TakeAlongInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex);
  if (input.shape.rank() == 0 || input.shape.rank() != index.shape.rank() ||
      !IndexedDimension(use, &dim) || index.dtype != DType::kInt64) {
    return false;
  }
  TensorType type{input.dtype, index.shape};
  for (int i = 0; i < input.shape.rank(); ++i) {
    if (i == dim) continue;
    if (input.shape[i] != index.shape[i] && input.shape[i] != 1 && index.shape[i] != 1)
      return false;
    if (index.shape[i] == 1) type.shape[i] = input.shape[i];
  }
  results->push_back(type);
  return true;
}

// take(input, index) and input[index].
bool TakeInfer(const OperatorUse& use, Types* results) {
  if (use.operand(kIndex).dtype != DType::kInt64) return false;
  results->push_back({use.operand(kInput).dtype, use.shape(kIndex)});
  return true;
}

bool TakeInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const std::int64_t elements = (*inputs)[0].type.shape.Elements();
  Shape shape{draw->Binned(1, 32)};
  if (draw->Chance(0.5)) shape.Append(draw->Binned(1, 8));
  inputs->push_back(IndexTensor(shape, elements));
  return true;
}

bool TakeRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double size = double(use.shape(kInput).Elements());
  if (operands[kIndex].low < -size || operands[kIndex].high >= size) return false;
  results->push_back(operands[kInput]);
  return true;
}

bool IndexInfer(const OperatorUse& use, Types* results) {
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex);
  if (input.shape.rank() == 0 || !IsIndex(index.dtype) ||
      index.shape.rank() + input.shape.rank() - 1 > kMaxRank) {
    return false;
  }
  TensorType type{input.dtype, index.shape};
  for (int i = 1; i < input.shape.rank(); ++i) type.shape.Append(input.shape[i]);
  results->push_back(type);
  return true;
}

bool IndexInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const Shape first = (*inputs)[0].type.shape;
  if (first.rank() == 0) return false;
  Shape shape{draw->Binned(1, 16)};
  if (draw->Chance(0.3)) shape.Append(draw->Binned(1, 8));
  inputs->push_back(IndexTensor(shape, first[0]));
  return true;
}

bool IndexRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double size = double(use.shape(kInput)[0]);
  if (operands[kIndex].low < -size || operands[kIndex].high >= size) return false;
  results->push_back(operands[kInput]);
  return true;
}

}  // namespace

void AddGathers(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "gather",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}},
                   .attributes = {BehindFirst(Dimension())},
                   .infer = GatherInfer,
                   .inputs = GatherInputs,
                   .range = GatherRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.gather", "torch.Tensor.gather"},
                   .weight = 1,
                   .sampler = {.follower = 18}});
  rows->push_back({.name = "index_select",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}},
                   .attributes = {BehindFirst(Dimension())},
                   .infer = IndexSelectInfer,
                   .inputs = IndexSelectInputs,
                   .range = GatherRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.index_select", "torch.Tensor.index_select"},
                   .weight = 3});
  rows->push_back({.name = "take_along_dim",
                   .family = kFamily,
                   .operands = {{"input"}, {"indices"}},
                   .attributes = {Dimension()},
                   .infer = TakeAlongInfer,
                   .inputs = GatherInputs,
                   .range = GatherRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.take_along_dim", "torch.Tensor.take_along_dim"},
                   .weight = 0.5});
  rows->push_back({.name = "take",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}},
                   .infer = TakeInfer,
                   .inputs = TakeInputs,
                   .range = TakeRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.take", "torch.Tensor.take"},
                   .weight = 0.3,
                   .words = {.like_family = false}});
  rows->push_back({.name = "index",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}},
                   .infer = IndexInfer,
                   .inputs = IndexInputs,
                   .range = IndexRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.Tensor.__getitem__"},
                   .weight = 2});
}

}  // namespace kernelmill
