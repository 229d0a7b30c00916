// Rows of views of a part of a tensor, and of operators that split a tensor.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kShape;

bool Dim(const OperatorUse& use, int attribute, int* dim) {
  const int rank = use.shape(0).rank();
  return rank > 0 && WrapDimension(use.integer(attribute), rank, dim);
}

// narrow(input, dim, start, length).
bool NarrowInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  if (!Dim(use, 0, &dim)) return false;
  const std::int64_t size = type.shape[dim], length = use.integer(2);
  std::int64_t start = use.integer(1);
  if (start < -size || start > size || length < 0) return false;
  if (start < 0) start += size;
  if (start + length > size) return false;
  type.shape[dim] = length;
  results->push_back(type);
  return true;
}

bool NarrowPropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  const std::int64_t start = draw->Integer(0, shape[dim] - 1);
  attributes[0] = Attribute::Integer(dim - (draw->Chance(0.5) ? shape.rank() : 0));
  attributes[1] = Attribute::Integer(start);
  attributes[2] = Attribute::Integer(draw->Integer(1, shape[dim] - start));
  return true;
}

bool SelectInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  if (!Dim(use, 0, &dim)) return false;
  const std::int64_t size = type.shape[dim], index = use.integer(1);
  if (index < -size || index >= size) return false;
  type.shape.Erase(dim);
  results->push_back(type);
  return true;
}

bool SelectPropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  attributes[0] = Attribute::Integer(dim - (draw->Chance(0.3) ? shape.rank() : 0));
  attributes[1] = Attribute::Integer(draw->Integer(-1, shape[dim] - 1));
  return true;
}

// input[..., start:stop:step, ...] along dim as in Python, where bounds are clamped to the size.
bool SliceInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  if (!Dim(use, 0, &dim)) return false;
  std::int64_t& size = type.shape[dim];
  const auto bound = [&](const Attribute& attribute, std::int64_t value) {
    if (!attribute.is_none()) value = attribute.integer();
    return std::clamp<std::int64_t>(value < 0 ? value + size : value, 0, size);
  };
  const std::int64_t start = bound(use.attribute(1), 0), stop = bound(use.attribute(2), size),
                     step = use.integer(3);
  if (step < 1) return false;
  size = std::max<std::int64_t>(0, (stop - start + step - 1) / step);
  results->push_back(type);
  return true;
}

bool SlicePropose(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  attributes[0] = Attribute::Integer(dim);
  const std::int64_t half = (shape[dim] + 1) / 2;
  switch (draw->Index(4)) {
    case 0:
      attributes[2] = Attribute::Integer(half);
      break;
    case 1:
      attributes[1] = Attribute::Integer(shape[dim] / 2);
      break;
    case 2:
      attributes[1] = Attribute::Integer(draw->Integer(0, 1));
      attributes[3] = Attribute::Integer(2);
      break;
    default:
      attributes[1] = Attribute::Integer(draw->Integer(0, half - 1));
      attributes[2] = Attribute::Integer(draw->Chance(0.5) && shape[dim] > half ? -1 : shape[dim]);
  }
  return shape[dim] > 1;
}

// Appends parts of `size` elements along dim; the last one may be smaller.
void AppendParts(TensorType type, int dim, std::int64_t size, Types* results) {
  for (std::int64_t left = type.shape[dim]; left > 0; left -= size) {
    type.shape[dim] = std::min(size, left);
    results->push_back(type);
  }
}

// More parts than this are not useful in a graph.
constexpr std::int64_t kMaxParts = 64;

bool SplitInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  int dim = 0;
  const std::int64_t size = use.integer(0);
  if (!Dim(use, 1, &dim) || size < 1 || input.shape[dim] < 1 || input.shape[dim] > kMaxParts * size)
    return false;
  AppendParts(input, dim, size, results);
  return true;
}

bool SplitPropose(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  const std::int64_t parts = draw->Integer(2, 4);
  attributes[0] = Attribute::Integer(std::max<std::int64_t>(1, (shape[dim] + parts - 1) / parts));
  attributes[1] = Attribute::Integer(dim - (draw->Chance(0.5) ? shape.rank() : 0));
  return shape[dim] > 1;
}

// split(input, [sizes], dim).
bool SplitSizesInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  if (!Dim(use, 1, &dim)) return false;
  std::int64_t left = type.shape[dim];
  for (const std::int64_t size : use.attribute(0).integers()) {
    if (size < 0) return false;
    left -= size;
    type.shape[dim] = size;
    results->push_back(type);
  }
  return left == 0;
}

bool SplitSizesPropose(Draw* draw, std::span<const TensorType* const> inputs,
                       std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  if (shape[dim] < 2) return false;
  const std::int64_t first = draw->Integer(1, shape[dim] - 1);
  const std::int64_t sizes[] = {first, shape[dim] - first};
  attributes[0] = Attribute::Integers(sizes);
  attributes[1] = Attribute::Integer(dim - (draw->Chance(0.5) ? shape.rank() : 0));
  return true;
}

bool ChunkInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  int dim = 0;
  const std::int64_t chunks = use.integer(0);
  if (!Dim(use, 1, &dim) || chunks < 1 || chunks > kMaxParts || input.shape[dim] < 1) return false;
  AppendParts(input, dim, (input.shape[dim] + chunks - 1) / chunks, results);
  return true;
}

bool ChunkPropose(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  attributes[0] = Attribute::Integer(shape[dim] % 3 == 0                        ? 3
                                     : shape[dim] % 4 == 0 && draw->Chance(0.5) ? 4
                                                                                : 2);
  attributes[1] = Attribute::Integer(dim - (draw->Chance(0.5) ? shape.rank() : 0));
  return shape[dim] > 1;
}

bool UnbindInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  if (!Dim(use, 0, &dim) || type.shape[dim] < 1 || type.shape[dim] > kMaxParts) return false;
  const std::int64_t count = type.shape[dim];
  type.shape.Erase(dim);
  results->assign(std::size_t(count), type);
  return true;
}

bool RangeOfParts(const OperatorUse& use, std::span<const Range> operands, Types* types,
                  bool (*infer)(const OperatorUse&, Types*), Ranges* results) {
  if (!infer(use, types)) return false;
  results->assign(types->size(), operands[0]);
  return true;
}

template <auto infer>
bool PartsRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Types types;
  return RangeOfParts(use, operands, &types, infer, results);
}

bool UnfoldInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  const std::int64_t size = use.integer(1), step = use.integer(2);
  if (!Dim(use, 0, &dim) || type.shape.rank() == kMaxRank || size < 0 || step < 1 ||
      size > type.shape[dim]) {
    return false;
  }
  type.shape[dim] = (type.shape[dim] - size) / step + 1;
  type.shape.Append(size);
  results->push_back(type);
  return true;
}

bool UnfoldPropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  attributes[0] = Attribute::Integer(dim);
  attributes[1] = Attribute::Integer(draw->Binned(1, shape[dim]));
  attributes[2] = Attribute::Integer(draw->Integer(1, 3));
  return true;
}

bool DiagonalInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int first = 0, second = 0;
  if (!Dim(use, 1, &first) || !Dim(use, 2, &second) || first == second) return false;
  const std::int64_t offset = use.integer(0);
  const std::int64_t length = offset >= 0
                                  ? std::min(type.shape[first], type.shape[second] - offset)
                                  : std::min(type.shape[first] + offset, type.shape[second]);
  type.shape.Erase(std::max(first, second));
  type.shape.Erase(std::min(first, second));
  type.shape.Append(std::max<std::int64_t>(0, length));
  results->push_back(type);
  return true;
}

bool DiagonalPropose(Draw* draw, std::span<const TensorType* const> inputs,
                     std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() < 2) return false;
  if (shape.rank() > 2 && draw->Chance(0.6)) {
    attributes[1] = Attribute::Integer(-2);
    attributes[2] = Attribute::Integer(-1);
  }
  if (draw->Chance(0.3)) attributes[0] = Attribute::Integer(draw->Integer(-1, 1));
  return true;
}

// x[…, 2:5] as narrow(dim, start, length).
std::string_view SameAsNarrow(const OperatorUse& use, const TensorType& result,
                              std::vector<Attribute>* attributes) {
  if (use.attribute(3) != Attribute::Integer(1)) return "";
  int dim = 0;
  if (!WrapDimension(use.integer(0), result.shape.rank(), &dim)) return "";
  const std::int64_t size = use.shape(0)[dim];
  const std::int64_t start = use.attribute(1).is_none() ? 0 : use.integer(1);
  *attributes = {
      Attribute::Integer(dim),
      Attribute::Integer(std::clamp<std::int64_t>(start < 0 ? start + size : start, 0, size)),
      Attribute::Integer(result.shape[dim])};
  return "narrow";
}

}  // namespace

void AddParts(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "narrow",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger),
                                  Proposed("start", Attribute::Kind::kInteger),
                                  Proposed("length", Attribute::Kind::kInteger)},
                   .infer = NarrowInfer,
                   .propose = NarrowPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.narrow", "torch.Tensor.narrow"},
                   .weight = 3,
                   .sampler = {.follower = 4},
                   .traits = {.same_if_same_type = true}});
  rows->push_back({.name = "select",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger),
                                  Proposed("index", Attribute::Kind::kInteger)},
                   .infer = SelectInfer,
                   .propose = SelectPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.select", "torch.Tensor.select"},
                   .weight = 5,
                   .sampler = {.follower = 2}});
  rows->push_back(
      {.name = "slice",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("dim", Attribute::Kind::kInteger, Attribute::Integer(0)),
                      Proposed("start", Attribute::Kind::kInteger),
                      Proposed("stop", Attribute::Kind::kInteger),
                      Proposed("step", Attribute::Kind::kInteger, Attribute::Integer(1))},
       .infer = SliceInfer,
       .propose = SlicePropose,
       .range = RangeOfFirstOperand,
       .cost = CostOfView,
       .spellings = {"torch.Tensor.__getitem__"},
       .weight = 20,
       .traits = {.same_if_same_type = true},
       .same_as = SameAsNarrow});
  rows->push_back(
      {.name = "split",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("split_size", Attribute::Kind::kInteger),
                      Proposed("dim", Attribute::Kind::kInteger, Attribute::Integer(0))},
       .infer = SplitInfer,
       .propose = SplitPropose,
       .range = PartsRange<SplitInfer>,
       .cost = CostOfView,
       .spellings = {"torch.split", "torch.Tensor.split"},
       .weight = 4,
       .sampler = {.follower = 3}});
  rows->push_back(
      {.name = "split_with_sizes",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("split_sizes", Attribute::Kind::kIntegers),
                      Proposed("dim", Attribute::Kind::kInteger, Attribute::Integer(0))},
       .infer = SplitSizesInfer,
       .propose = SplitSizesPropose,
       .range = PartsRange<SplitSizesInfer>,
       .cost = CostOfView,
       .spellings = {"torch.split", "torch.Tensor.split", "torch.split_with_sizes"},
       .weight = 3});
  rows->push_back(
      {.name = "chunk",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("chunks", Attribute::Kind::kInteger),
                      Proposed("dim", Attribute::Kind::kInteger, Attribute::Integer(0))},
       .infer = ChunkInfer,
       .propose = ChunkPropose,
       .range = PartsRange<ChunkInfer>,
       .cost = CostOfView,
       .spellings = {"torch.chunk", "torch.Tensor.chunk"},
       .weight = 4});
  rows->push_back({.name = "unbind",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension("dim", Attribute::Integer(0))},
                   .infer = UnbindInfer,
                   .range = PartsRange<UnbindInfer>,
                   .cost = CostOfView,
                   .spellings = {"torch.unbind", "torch.Tensor.unbind"},
                   .weight = 1});
  rows->push_back({.name = "unfold_dimension",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dimension", Attribute::Kind::kInteger),
                                  Proposed("size", Attribute::Kind::kInteger),
                                  Proposed("step", Attribute::Kind::kInteger)},
                   .infer = UnfoldInfer,
                   .propose = UnfoldPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.Tensor.unfold"},
                   .weight = 0.7});
  rows->push_back(
      {.name = "diagonal",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("offset", Attribute::Kind::kInteger, Attribute::Integer(0)),
                      Proposed("dim1", Attribute::Kind::kInteger, Attribute::Integer(0)),
                      Proposed("dim2", Attribute::Kind::kInteger, Attribute::Integer(1))},
       .infer = DiagonalInfer,
       .propose = DiagonalPropose,
       .range = RangeOfFirstOperand,
       .cost = CostOfView,
       .spellings = {"torch.diagonal", "torch.Tensor.diagonal"},
       .weight = 0.6});
}

}  // namespace kernelmill
