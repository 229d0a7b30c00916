// Rows of views that only change the shape.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kShape;

// Computes a shape with `count` elements from `sizes`, one of which may be -1 for the remaining
// size.
bool Resized(std::int64_t count, const Attribute& sizes, Shape* shape) {
  std::int64_t known = 1;
  int open = -1;
  *shape = {};
  for (const std::int64_t size : sizes.integers()) {
    if (size < -1 || (size == -1 && open >= 0)) return false;
    if (size == -1) open = shape->rank();
    if (size != -1) known *= size;
    shape->Append(size);
  }
  if (open < 0) return known == count;
  if (known == 0 || count % known != 0) return false;
  (*shape)[open] = count / known;
  return true;
}

bool ReshapeInfer(const OperatorUse& use, Types* results) {
  TensorType type{use.operand(0).dtype, {}};
  if (!Resized(use.shape(0).Elements(), use.attribute(0), &type.shape)) return false;
  results->push_back(type);
  return true;
}

// Joins two dimensions, splits one in two, or joins all dimensions after the first.
bool ReshapePropose(Draw* draw, std::span<const TensorType* const> inputs,
                    std::span<Attribute> attributes) {
  Shape shape = inputs[0]->shape;
  if (shape.Elements() == 0) return false;
  if (shape.rank() > 1 && draw->Chance(0.3)) {
    shape = {shape[0], -1};
  } else if (shape.rank() > 1 && draw->Chance(0.5)) {
    const int at = int(draw->Integer(0, shape.rank() - 2));
    shape[at] = at == 0 ? -1 : shape[at] * shape[at + 1];
    shape.Erase(at + 1);
  } else if (shape.rank() > 0 && shape.rank() < 6) {
    const int at = int(draw->Integer(0, shape.rank() - 1));
    std::int64_t inner = draw->Binned(1, std::max<std::int64_t>(1, shape[at] / 2));
    while (shape[at] % inner != 0) --inner;
    shape[at] = at == 0 ? -1 : shape[at] / inner;
    shape.Insert(at + 1, inner);
  } else {
    shape = {-1};
  }
  attributes[0] = Attribute::Integers(shape.sizes());
  return true;
}

bool TransposeInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int first = 0, second = 0;
  if (!WrapDimension(use.integer(0), type.shape.rank(), &first) ||
      !WrapDimension(use.integer(1), type.shape.rank(), &second)) {
    return false;
  }
  std::swap(type.shape[first], type.shape[second]);
  results->push_back(type);
  return true;
}

bool TransposePropose(Draw* draw, std::span<const TensorType* const> inputs,
                      std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank < 2) return false;
  std::int64_t first = draw->Integer(0, rank - 2), second = draw->Integer(first + 1, rank - 1);
  if (draw->Chance(0.4)) {
    first = rank - 2;
    second = rank - 1;
  }
  const std::int64_t offset = draw->Chance(0.5) ? rank : 0;
  attributes[0] = Attribute::Integer(first - offset);
  attributes[1] = Attribute::Integer(second - offset);
  return true;
}

bool FlattenInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  int first = 0, last = 0;
  if (!WrapDimension(use.integer(0), input.shape.rank(), &first) ||
      !WrapDimension(use.integer(1), input.shape.rank(), &last) || first > last) {
    return false;
  }
  TensorType type{input.dtype, {}};
  for (int i = 0; i < first; ++i) type.shape.Append(input.shape[i]);
  std::int64_t size = 1;
  for (int i = first; i <= last && i < input.shape.rank(); ++i) size *= input.shape[i];
  type.shape.Append(size);
  for (int i = last + 1; i < input.shape.rank(); ++i) type.shape.Append(input.shape[i]);
  results->push_back(type);
  return true;
}

bool FlattenPropose(Draw* draw, std::span<const TensorType* const> inputs,
                    std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank < 2) return false;
  const std::int64_t first = draw->Chance(0.6) ? 1 : draw->Integer(0, rank - 1);
  attributes[0] = Attribute::Integer(first);
  if (draw->Chance(0.3)) attributes[1] = Attribute::Integer(draw->Integer(first, rank - 1));
  return true;
}

bool UnflattenInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  int dim = 0;
  Shape inner;
  const auto sizes = use.attribute(1).integers();
  if (input.shape.rank() == 0 || !WrapDimension(use.integer(0), input.shape.rank(), &dim) ||
      sizes.empty() || !Resized(input.shape[dim], use.attribute(1), &inner) ||
      input.shape.rank() - 1 + inner.rank() > kMaxRank) {
    return false;
  }
  TensorType type{input.dtype, {}};
  for (int i = 0; i < input.shape.rank(); ++i) {
    if (i != dim) type.shape.Append(input.shape[i]);
    for (int j = 0; i == dim && j < inner.rank(); ++j) type.shape.Append(inner[j]);
  }
  results->push_back(type);
  return true;
}

bool UnflattenPropose(Draw* draw, std::span<const TensorType* const> inputs,
                      std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0 || shape.rank() > 5) return false;
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  std::int64_t inner = draw->Binned(1, std::max<std::int64_t>(1, shape[dim] / 2));
  while (shape[dim] % inner != 0) --inner;
  const std::int64_t sizes[] = {draw->Chance(0.5) ? -1 : shape[dim] / inner, inner};
  attributes[0] = Attribute::Integer(dim);
  attributes[1] = Attribute::Integers(sizes);
  return true;
}

bool PermuteInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  std::uint32_t bits = 0;
  const auto dims = use.attribute(0).integers();
  if (int(dims.size()) != input.shape.rank() ||
      !WrapDimensions(use.attribute(0), input.shape.rank(), &bits)) {
    return false;
  }
  TensorType type{input.dtype, {}};
  for (const std::int64_t dim : dims) {
    type.shape.Append(input.shape[int(dim < 0 ? dim + input.shape.rank() : dim)]);
  }
  results->push_back(type);
  return true;
}

bool PermutePropose(Draw* draw, std::span<const TensorType* const> inputs,
                    std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank < 2) return false;
  std::int64_t dims[kMaxRank];
  for (int i = 0; i < rank; ++i) dims[i] = i;
  for (int i = rank - 1; i > 0; --i) std::swap(dims[i], dims[draw->Integer(0, i)]);
  attributes[0] = Attribute::Integers({dims, std::size_t(rank)});
  return true;
}

}  // namespace

void AddViews(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "view",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("size", Attribute::Kind::kIntegers)},
                   .infer = ReshapeInfer,
                   .propose = ReshapePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.Tensor.view"},
                   .weight = 38,
                   .sampler = {.follower = 1.6},
                   .traits = {.same_if_same_type = true, .keeps_order = true}});
  rows->push_back(
      {.name = "reshape",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("shape", Attribute::Kind::kIntegers)},
       .infer = ReshapeInfer,
       .propose = ReshapePropose,
       .range = RangeOfFirstOperand,
       .cost = CostOfView,
       .spellings = {"torch.reshape", "torch.Tensor.reshape"},
       .weight = 22,
       .traits = {.sometimes_copies = true, .same_if_same_type = true, .keeps_order = true}});
  rows->push_back(
      {.name = "flatten",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("start_dim", Attribute::Kind::kInteger, Attribute::Integer(0)),
                      Proposed("end_dim", Attribute::Kind::kInteger, Attribute::Integer(-1))},
       .infer = FlattenInfer,
       .propose = FlattenPropose,
       .range = RangeOfFirstOperand,
       .cost = CostOfView,
       .spellings = {"torch.flatten", "torch.Tensor.flatten", "torch.nn.Flatten"},
       .weight = 14,
       .sampler = {.follower = 1.5},
       .words = {.member = "flatten"},
       .traits = {.sometimes_copies = true, .same_if_same_type = true, .keeps_order = true}});
  rows->push_back({.name = "unflatten",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger),
                                  Proposed("sizes", Attribute::Kind::kIntegers)},
                   .infer = UnflattenInfer,
                   .propose = UnflattenPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.unflatten", "torch.Tensor.unflatten"},
                   .weight = 0.7,
                   .traits = {.keeps_order = true}});
  rows->push_back({.name = "permute",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dims", Attribute::Kind::kIntegers)},
                   .infer = PermuteInfer,
                   .propose = PermutePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.permute", "torch.Tensor.permute"},
                   .weight = 15});
  rows->push_back({.name = "transpose",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim0", Attribute::Kind::kInteger),
                                  Proposed("dim1", Attribute::Kind::kInteger)},
                   .infer = TransposeInfer,
                   .propose = TransposePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.transpose", "torch.Tensor.transpose"},
                   .weight = 26});
  rows->push_back({.name = "swapaxes",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("axis0", Attribute::Kind::kInteger),
                                  Proposed("axis1", Attribute::Kind::kInteger)},
                   .infer = TransposeInfer,
                   .propose = TransposePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.swapaxes", "torch.Tensor.swapaxes"},
                   .weight = 0.3});
}

}  // namespace kernelmill
