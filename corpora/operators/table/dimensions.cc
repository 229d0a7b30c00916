// Rows of views that add, remove or expand dimensions of size 1, or permute dimensions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kShape;

// .T reverses all dimensions, .mT exchanges the last two.
bool ReversedInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  if (type.shape.rank() > 2) return false;
  if (type.shape.rank() == 2) std::swap(type.shape[0], type.shape[1]);
  results->push_back(type);
  return true;
}

bool MatrixTransposeInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const int rank = type.shape.rank();
  if (rank == 1) return false;
  if (rank > 0) std::swap(type.shape[rank - 2], type.shape[rank - 1]);
  results->push_back(type);
  return true;
}

bool SqueezeInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  std::uint32_t bits = 0;
  if (!WrapDimensions(use.attribute(0), input.shape.rank(), &bits)) return false;
  TensorType type{input.dtype, {}};
  for (int i = 0; i < input.shape.rank(); ++i) {
    if ((bits >> i & 1) == 0 || input.shape[i] != 1) type.shape.Append(input.shape[i]);
  }
  results->push_back(type);
  return true;
}

bool SqueezePropose(Draw* draw, std::span<const TensorType* const> inputs,
                    std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  const auto one = std::find(shape.begin(), shape.end(), 1);
  if (one == shape.end()) return false;
  if (draw->Chance(0.85)) {
    attributes[0] =
        Attribute::Integer((one - shape.begin()) - (draw->Chance(0.5) ? shape.rank() : 0));
  }
  return true;
}

bool UnsqueezeInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  if (type.shape.rank() == kMaxRank || !WrapDimension(use.integer(0), type.shape.rank() + 1, &dim))
    return false;
  type.shape.Insert(dim, 1);
  results->push_back(type);
  return true;
}

bool UnsqueezePropose(Draw* draw, std::span<const TensorType* const> inputs,
                      std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  attributes[0] = Attribute::Integer(draw->Integer(-rank - 1, rank));
  return rank < 6;
}

// Sizes of 1 are expanded and new dimensions are added in front; -1 keeps a size.
bool ExpandInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  const auto sizes = use.attribute(0).integers();
  const int more = int(sizes.size()) - input.shape.rank();
  if (more < 0) return false;
  TensorType type{input.dtype, {}};
  for (int i = 0; i < int(sizes.size()); ++i) {
    const std::int64_t size = sizes[std::size_t(i)];
    if (i < more ? size < 0 : size < -1) return false;
    const std::int64_t own = i < more ? 1 : input.shape[i - more];
    if (size != -1 && own != 1 && size != own) return false;
    type.shape.Append(size == -1 ? own : size);
  }
  results->push_back(type);
  return true;
}

bool ExpandPropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  Shape shape = inputs[0]->shape;
  bool grows = false;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool one = shape[i] == 1 && draw->Chance(0.8);
    shape[i] = one ? draw->Binned(2, 16) : -1;
    grows = grows || one;
  }
  if (shape.rank() < 5 && (!grows || draw->Chance(0.2))) shape.Insert(0, draw->Binned(1, 8));
  attributes[0] = Attribute::Integers(shape.sizes());
  return true;
}

bool ExpandAsInfer(const OperatorUse& use, Types* results) {
  Shape shape;
  const TensorType &input = use.operand(0), &other = use.operand(1);
  if (!Broadcast(input.shape, other.shape, &shape) || shape != other.shape) return false;
  results->push_back({input.dtype, shape});
  return true;
}

bool ExpandAsInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  TensorType type = (*inputs)[0].type;
  for (int i = 0; i < type.shape.rank(); ++i) {
    if (type.shape[i] == 1) type.shape[i] = draw->Binned(1, 8);
  }
  if (type.shape.rank() < 5 && draw->Chance(0.3)) type.shape.Insert(0, draw->Binned(1, 4));
  inputs->push_back({type, UsualRange(type.dtype)});
  return true;
}

bool MovedimInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int from = 0, to = 0;
  if (!WrapDimension(use.integer(0), type.shape.rank(), &from) ||
      !WrapDimension(use.integer(1), type.shape.rank(), &to)) {
    return false;
  }
  if (type.shape.rank() > 0) {
    const std::int64_t size = type.shape[from];
    type.shape.Erase(from);
    type.shape.Insert(to, size);
  }
  results->push_back(type);
  return true;
}

}  // namespace

void AddDimensions(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "t",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = ReversedInfer,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.t", "torch.Tensor.t", "torch.Tensor.T"},
                   .weight = 2});
  rows->push_back({.name = "mT",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = MatrixTransposeInfer,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.Tensor.mT"},
                   .weight = 0.7});
  rows->push_back({.name = "squeeze",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kIntegers)},
                   .infer = SqueezeInfer,
                   .propose = SqueezePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.squeeze", "torch.Tensor.squeeze"},
                   .weight = 5,
                   .traits = {.same_if_same_type = true}});
  rows->push_back({.name = "unsqueeze",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger)},
                   .infer = UnsqueezeInfer,
                   .propose = UnsqueezePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.unsqueeze", "torch.Tensor.unsqueeze"},
                   .weight = 19,
                   .sampler = {.follower = 1.8},
                   .traits = {.keeps_order = true, .dimensions_of_result = true}});
  rows->push_back(
      {.name = "expand",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("size", Attribute::Kind::kIntegers)},
       .infer = ExpandInfer,
       .propose = ExpandPropose,
       .range = RangeOfFirstOperand,
       .cost = CostOfView,
       .spellings = {"torch.Tensor.expand", "torch.broadcast_to", "torch.Tensor.broadcast_to"},
       .weight = 13,
       .sampler = {.follower = 2},
       .traits = {.same_if_same_type = true}});
  rows->push_back({.name = "expand_as",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = ExpandAsInfer,
                   .inputs = ExpandAsInputs,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.Tensor.expand_as"},
                   .weight = 1});
  rows->push_back({.name = "movedim",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension("source"), Dimension("destination")},
                   .infer = MovedimInfer,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.movedim", "torch.Tensor.movedim", "torch.moveaxis"},
                   .weight = 0.5});
}

}  // namespace kernelmill
