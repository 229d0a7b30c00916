// Rows of operators that copy elements to other positions without computing.
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

bool StackInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), use.shape(0)};
  int dim = 0;
  if (type.shape.rank() == kMaxRank || !WrapDimension(use.integer(0), type.shape.rank() + 1, &dim))
    return false;
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.shape(int(i)) != type.shape) return false;
  }
  type.shape.Insert(dim, std::int64_t(use.operands.size()));
  results->push_back(type);
  return true;
}

bool StackPropose(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (draw->Chance(0.6)) attributes[0] = Attribute::Integer(draw->Integer(-rank - 1, rank));
  return rank < 6;
}

bool StackInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  for (std::int64_t i = draw->Integer(1, 3); i > 0; --i)
    inputs->push_back({first, UsualRange(first.dtype)});
  return true;
}

// repeat(sizes), and tile, which may have fewer sizes than dimensions (they apply to the last
// ones).
template <bool tile>
bool RepeatInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  const auto counts = use.attribute(0).integers();
  const int more = int(counts.size()) - input.shape.rank();
  if ((more < 0 && !tile) || use.attribute(0).kind() != Attribute::Kind::kIntegers) return false;
  TensorType type = input;
  for (int i = 0; i < more; ++i) type.shape.Insert(0, 1);
  const int first = std::max(0, -more);
  for (int i = first; i < type.shape.rank(); ++i) {
    if (counts[std::size_t(i - first)] < 0) return false;
    type.shape[i] *= counts[std::size_t(i - first)];
  }
  results->push_back(type);
  return true;
}

bool RepeatPropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  std::int64_t counts[kMaxRank];
  const int rank = inputs[0]->shape.rank();
  const int count = rank + (rank < 5 && draw->Chance(0.3) ? 1 : 0);
  for (int i = 0; i < count; ++i) counts[i] = draw->Chance(0.5) ? 1 : draw->Integer(2, 3);
  attributes[0] = Attribute::Integers({counts, std::size_t(count)});
  return count > 0;
}

// repeat_interleave(input, repeats, dim); without dim the input is flattened.
bool InterleaveInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const std::int64_t repeats = use.integer(0);
  if (repeats < 0) return false;
  if (use.attribute(1).is_none()) {
    type.shape = {type.shape.Elements() * repeats};
  } else {
    int dim = 0;
    if (!WrapDimension(use.integer(1), type.shape.rank(), &dim)) return false;
    if (type.shape.rank() == 0) type.shape.Append(1);
    type.shape[dim] *= repeats;
  }
  results->push_back(type);
  return true;
}

bool InterleavePropose(Draw* draw, std::span<const TensorType* const> inputs,
                       std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  attributes[0] = Attribute::Integer(draw->Integer(2, 4));
  if (rank > 0 && draw->Chance(0.85))
    attributes[1] = Attribute::Integer(draw->Integer(-rank, rank - 1));
  return true;
}

bool FlipInfer(const OperatorUse& use, Types* results) {
  std::uint32_t bits = 0;
  if (use.attribute(0).is_none() || !WrapDimensions(use.attribute(0), use.shape(0).rank(), &bits))
    return false;
  results->push_back(use.operand(0));
  return true;
}

bool FlipPropose(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank == 0) return false;
  const std::int64_t dims[] = {draw->Integer(0, rank - 1) - (draw->Chance(0.5) ? rank : 0)};
  attributes[0] = Attribute::Integers(dims);
  return true;
}

// roll(input, shifts, dims): one int each, or tuples; without dims the input is flattened.
bool RollInfer(const OperatorUse& use, Types* results) {
  const auto count = [](const Attribute& attribute) {
    return attribute.kind() == Attribute::Kind::kIntegers ? attribute.integers().size() : 1;
  };
  const TensorType& input = use.operand(0);
  if (!use.attribute(1).is_none()) {
    if (count(use.attribute(0)) != count(use.attribute(1))) return false;
    for (int i = 0; i < int(count(use.attribute(1))); ++i) {
      int dim = 0;
      if (!WrapDimension(IntegerFor(use.attribute(1), i), input.shape.rank(), &dim)) return false;
    }
  } else if (count(use.attribute(0)) != 1) {
    return false;
  }
  results->push_back(input);
  return true;
}

bool RollPropose(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  if (shape.rank() > 2 && draw->Chance(0.4)) {
    const std::int64_t shift = draw->Integer(1, 3);
    const std::int64_t shifts[] = {-shift, -shift}, dims[] = {1, 2};
    attributes[0] = Attribute::Integers(shifts);
    attributes[1] = Attribute::Integers(dims);
    return true;
  }
  const int dim = int(draw->Integer(0, shape.rank() - 1));
  attributes[0] = Attribute::Integer(draw->Integer(-3, 3));
  if (draw->Chance(0.8)) attributes[1] = Attribute::Integer(dim);
  return true;
}

bool Rot90Infer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const auto dims = use.attribute(1).integers();
  int first = 0, second = 0;
  if (type.shape.rank() < 2 || dims.size() != 2 ||
      !WrapDimension(dims[0], type.shape.rank(), &first) ||
      !WrapDimension(dims[1], type.shape.rank(), &second) || first == second) {
    return false;
  }
  if (use.integer(0) % 2 != 0) std::swap(type.shape[first], type.shape[second]);
  results->push_back(type);
  return true;
}

bool Rot90Propose(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  const std::int64_t dims[] = {rank - 2, rank - 1};
  attributes[0] = Attribute::Integer(draw->Integer(1, 3));
  attributes[1] = Attribute::Integers(dims);
  return rank > 1;
}

// dropout in evaluation mode returns its input. In training mode it is random and cannot be
// compared.
bool DropoutInfer(const OperatorUse& use, Types* results) {
  const double p = use.attribute(0).number();
  return p >= 0 && p <= 1 && (!use.attribute(1).flag() || p == 0) &&
         InferSame<kAnyDType>(use, results);
}

bool DropoutPropose(Draw*, std::span<const TensorType* const>, std::span<Attribute> attributes) {
  attributes[1] = Attribute::Flag(false);
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
                   .range = RangeOfHull,
                   .cost = CostOfCopy,
                   .spellings = {"torch.cat", "torch.concat", "torch.concatenate"},
                   .weight = 32});
  rows->push_back(
      {.name = "stack",
       .family = kFamily,
       .operands = {{"tensors", OperandRow::Role::kList}},
       .attributes = {Proposed("dim", Attribute::Kind::kInteger, Attribute::Integer(0))},
       .infer = StackInfer,
       .propose = StackPropose,
       .inputs = StackInputs,
       .range = RangeOfHull,
       .cost = CostOfCopy,
       .spellings = {"torch.stack"},
       .weight = 4,
       .traits = {.dimensions_of_result = true}});
  rows->push_back({.name = "repeat",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("repeats", Attribute::Kind::kIntegers)},
                   .infer = RepeatInfer<false>,
                   .propose = RepeatPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.Tensor.repeat"},
                   .weight = 2});
  rows->push_back({.name = "tile",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dims", Attribute::Kind::kIntegers)},
                   .infer = RepeatInfer<true>,
                   .propose = RepeatPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.tile", "torch.Tensor.tile"},
                   .weight = 0.5});
  rows->push_back({.name = "repeat_interleave",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("repeats", Attribute::Kind::kInteger),
                                  Proposed("dim", Attribute::Kind::kInteger)},
                   .infer = InterleaveInfer,
                   .propose = InterleavePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.repeat_interleave", "torch.Tensor.repeat_interleave"},
                   .weight = 1});
  rows->push_back({.name = "flip",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dims", Attribute::Kind::kIntegers)},
                   .infer = FlipInfer,
                   .propose = FlipPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.flip", "torch.Tensor.flip"},
                   .weight = 1.5,
                   .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "roll",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("shifts", Attribute::Kind::kIntegers),
                                  Proposed("dims", Attribute::Kind::kIntegers)},
                   .infer = RollInfer,
                   .propose = RollPropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.roll", "torch.Tensor.roll"},
                   .weight = 1,
                   .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "rot90",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("k", Attribute::Kind::kInteger, Attribute::Integer(1)),
                                  Proposed("dims", Attribute::Kind::kIntegers)},
                   .infer = Rot90Infer,
                   .propose = Rot90Propose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.rot90", "torch.Tensor.rot90"},
                   .weight = 0.3});
  rows->push_back({.name = "contiguous",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kAnyDType>,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.Tensor.contiguous"},
                   .weight = 20,
                   .traits = {.keeps_sizes = true,
                              .passes_on = true,
                              .sometimes_copies = true,
                              .same_if_same_type = true}});
  rows->push_back({.name = "clone",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kAnyDType>,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.clone", "torch.Tensor.clone"},
                   .weight = 3,
                   .words = {.like_family = false},
                   .traits = {.keeps_sizes = true, .same_if_same_type = true}});
  rows->push_back({.name = "detach",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kAnyDType>,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfView,
                   .spellings = {"torch.detach", "torch.Tensor.detach"},
                   .weight = 1,
                   .traits = {.keeps_sizes = true, .passes_on = true, .same_if_same_type = true}});
  rows->push_back(
      {.name = "dropout",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {NumberWithDefault("p", 0.5, 0.05, 0.5),
                      Proposed("training", Attribute::Kind::kFlag, Attribute::Flag(true))},
       .infer = DropoutInfer,
       .propose = DropoutPropose,
       .range = RangeOfFirstOperand,
       .cost = CostOfView,
       .spellings = {"torch.nn.functional.dropout", "torch.nn.Dropout"},
       .weight = 10,
       .sampler = {.never_drawn = "what is random cannot be compared"},
       .traits = {.keeps_sizes = true, .passes_on = true, .sometimes_copies = true}});
}

}  // namespace kernelmill
