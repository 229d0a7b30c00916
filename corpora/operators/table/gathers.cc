// Elements by index: gather, scatter, index_select and their like.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kGather;

// Places of operands; attribute 0 is dim.
constexpr int kInput = 0, kIndex = 1, kSource = 2;

bool IsIndex(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

bool Dim(const OperatorUse& use, int* dim) {
  return WrapDimension(use.integer(0), use.shape(kInput).rank(), dim);
}

// Where indexes of an operator lie along its dimension; none is below 0.
bool IndexesFit(const OperatorUse& use, const Range& range) {
  int dim = 0;
  const Shape& shape = use.shape(kInput);
  if (!Dim(use, &dim)) return false;
  const std::int64_t size = shape.rank() == 0 ? 1 : shape[dim];
  return range.low >= 0 && range.high < double(size);
}

NewTensor IndexOf(const Shape& shape, std::int64_t size) {
  return {{DType::kInt64, shape}, Range::Uniform(0, double(size - 1))};
}

// No larger than `shape`, but along `dim`.
bool WithinBut(const Shape& index, const Shape& shape, int dim) {
  for (int i = 0; i < index.rank(); ++i) {
    if (i != dim && index[i] > shape[i]) return false;
  }
  return true;
}

bool GatherInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex);
  if (!Dim(use, &dim) || !IsIndex(index.dtype)) return false;
  const int rank = std::max(1, input.shape.rank());
  if (rank != std::max(1, index.shape.rank())) return false;
  if (input.shape.rank() == index.shape.rank() && !WithinBut(index.shape, input.shape, dim))
    return false;
  results->push_back({input.dtype, index.shape});
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
  inputs->push_back(IndexOf(shape, first.shape[dim]));
  return true;
}

bool GatherRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesFit(use, operands[kIndex])) return false;
  results->push_back(operands[kInput]);
  return true;
}

// scatter(input, dim, index, src), scatter_add, scatter_reduce.
bool ScatterInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex);
  if (!Dim(use, &dim) || !IsIndex(index.dtype)) return false;
  const int rank = std::max(1, input.shape.rank());
  if (rank != std::max(1, index.shape.rank())) return false;
  if (input.shape.rank() == index.shape.rank() && !WithinBut(index.shape, input.shape, dim))
    return false;
  if (use.Has(kSource)) {
    const TensorType& source = use.operand(kSource);
    if (source.dtype != input.dtype || std::max(1, source.shape.rank()) != rank) return false;
    if (index.shape.rank() == source.shape.rank() && !WithinBut(index.shape, source.shape, -1))
      return false;
  }
  results->push_back(input);
  return true;
}

template <bool source>
bool ScatterInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  int dim = 0;
  if (first.shape.rank() == 0 || !WrapDimension(attributes[0].integer(), first.shape.rank(), &dim))
    return false;
  Shape shape = first.shape;
  shape[dim] = draw->Integer(1, shape[dim]);
  inputs->push_back(IndexOf(shape, first.shape[dim]));
  if (source) inputs->push_back({{first.dtype, shape}, UsualRange(first.dtype)});
  return true;
}

bool ScatterRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesFit(use, operands[kIndex])) return false;
  results->push_back(HullOf(operands[kInput], operands[kSource]));
  return true;
}

bool ScatterNumberRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesFit(use, operands[kIndex])) return false;
  return AddRange(use.operand(kInput).dtype,
                  HullOf(operands[kInput], Range::Constant(use.attribute(1).number())), results);
}

// How many may come together at one place: all along dim.
std::int64_t Together(const OperatorUse& use) {
  int dim = 0;
  if (!Dim(use, &dim) || use.shape(kIndex).rank() == 0) return 1;
  return use.shape(kIndex)[use.shape(kIndex).rank() == 1 ? 0 : dim];
}

bool SumsRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesFit(use, operands[kIndex])) return false;
  const double count = double(Together(use));
  const Range& source = operands[kSource];
  const Range most{std::fmin(0, count * source.low), std::fmax(0, count * source.high),
                   source.scale};
  return AddRange(use.operand(kInput).dtype, PlusOf(operands[kInput], most), results);
}

constexpr std::string_view kReductions[] = {"sum", "prod", "mean", "amax", "amin"};

bool ScatterReduceInfer(const OperatorUse& use, Types* results) {
  return ScatterInfer(use, results);
}

bool ScatterReduceRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const int reduction = use.attribute(1).choice();
  if (reduction == 0) return SumsRange(use, operands, results);
  if (!IndexesFit(use, operands[kIndex])) return false;
  Range range = HullOf(operands[kInput], operands[kSource]);
  if (reduction == 1) {
    const double one = std::fmax(1, std::fmax(std::fabs(range.low), std::fabs(range.high)));
    const double most = std::pow(one, double(Together(use)) + 1);
    range = {-most, most, range.scale};
  }
  return AddRange(use.operand(kInput).dtype, range, results);
}

// index_select(input, dim, index), index_add and index_copy(input, dim, index, source),
// index_fill(input, dim, index, value): the index has one dimension.
bool IndexSelectInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType& index = use.operand(kIndex);
  if (!Dim(use, &dim) || !IsIndex(index.dtype) || index.shape.rank() > 1) return false;
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
  inputs->push_back(IndexOf({draw->Binned(1, 2 * shape[dim])}, shape[dim]));
  return true;
}

template <bool must_be_long>
bool IndexSourceInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex),
                   &source = use.operand(kSource);
  if (!Dim(use, &dim) || input.shape.rank() == 0 || !IsIndex(index.dtype) ||
      index.shape.rank() != 1 || (must_be_long && index.dtype != DType::kInt64) ||
      source.dtype != input.dtype) {
    return false;
  }
  Shape expected = input.shape;
  expected[dim] = index.shape[0];
  if (source.shape != expected) return false;
  results->push_back(input);
  return true;
}

bool IndexSourceInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  int dim = 0;
  if (first.shape.rank() == 0 || !WrapDimension(attributes[0].integer(), first.shape.rank(), &dim))
    return false;
  Shape shape = first.shape;
  shape[dim] = draw->Integer(1, shape[dim]);
  inputs->push_back(IndexOf({shape[dim]}, first.shape[dim]));
  inputs->push_back({{first.dtype, shape}, UsualRange(first.dtype)});
  return true;
}

bool ProposeValue(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const std::int64_t value = draw->Integer(0, 2);
  attributes[1] = IsFloating(inputs[0]->dtype)
                      ? Attribute::Number(double(value) / 2)
                      : Attribute::Integer(std::min<std::int64_t>(value, 1));
  return inputs[0]->shape.rank() > 0;
}

bool IndexFillInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType& index = use.operand(kIndex);
  if (!Dim(use, &dim) || index.dtype != DType::kInt64 || index.shape.rank() > 1) return false;
  results->push_back(use.operand(kInput));
  return true;
}

// take_along_dim(input, indices, dim): gather of what broadcasts but along dim.
bool TakeAlongInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex);
  if (input.shape.rank() == 0 || input.shape.rank() != index.shape.rank() || !Dim(use, &dim) ||
      index.dtype != DType::kInt64) {
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
  inputs->push_back(IndexOf(shape, elements));
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
  inputs->push_back(IndexOf(shape, first[0]));
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
                   .attributes = {Dimension()},
                   .infer = GatherInfer,
                   .inputs = GatherInputs,
                   .range = GatherRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.gather", "torch.Tensor.gather"},
                   .weight = 1});
  rows->push_back({.name = "scatter",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"src"}},
                   .attributes = {Dimension()},
                   .infer = ScatterInfer,
                   .inputs = ScatterInputs<true>,
                   .range = ScatterRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.scatter", "torch.Tensor.scatter"},
                   .weight = 0.6});
  rows->push_back({.name = "scatter_value",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}},
                   .attributes = {Dimension(), Proposed("value", Attribute::Kind::kNumber)},
                   .infer = ScatterInfer,
                   .propose = ProposeValue,
                   .inputs = ScatterInputs<false>,
                   .range = ScatterNumberRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.scatter", "torch.Tensor.scatter"},
                   .weight = 0.4});
  rows->push_back({.name = "scatter_add",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"src"}},
                   .attributes = {Dimension()},
                   .infer = ScatterInfer,
                   .inputs = ScatterInputs<true>,
                   .range = SumsRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.scatter_add", "torch.Tensor.scatter_add"},
                   .weight = 0.8});
  rows->push_back({.name = "scatter_reduce",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"src"}},
                   .attributes = {Dimension(), ChoiceOf("reduce", kReductions, {}),
                                  KeywordOnly(FlagOf("include_self", true))},
                   .infer = ScatterReduceInfer,
                   .inputs = ScatterInputs<true>,
                   .range = ScatterReduceRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.scatter_reduce", "torch.Tensor.scatter_reduce"},
                   .weight = 0.4});
  rows->push_back({.name = "index_select",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}},
                   .attributes = {Dimension()},
                   .infer = IndexSelectInfer,
                   .inputs = IndexSelectInputs,
                   .range = GatherRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.index_select", "torch.Tensor.index_select"},
                   .weight = 3});
  rows->push_back({.name = "index_add",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"source"}},
                   .attributes = {Dimension()},
                   .infer = IndexSourceInfer<false>,
                   .inputs = IndexSourceInputs,
                   .range = SumsRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.index_add", "torch.Tensor.index_add"},
                   .weight = 0.5});
  rows->push_back({.name = "index_copy",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"source"}},
                   .attributes = {Dimension()},
                   .infer = IndexSourceInfer<true>,
                   .inputs = IndexSourceInputs,
                   .range = ScatterRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.index_copy", "torch.Tensor.index_copy"},
                   .weight = 0.4});
  rows->push_back({.name = "index_fill",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}},
                   .attributes = {Dimension(), Proposed("value", Attribute::Kind::kNumber)},
                   .infer = IndexFillInfer,
                   .propose = ProposeValue,
                   .inputs = IndexSelectInputs,
                   .range = ScatterNumberRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.index_fill", "torch.Tensor.index_fill"},
                   .weight = 0.4});
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
                   .weight = 0.3});
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
