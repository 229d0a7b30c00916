// Rows of operators that write elements by index: scatter, index_add and similar operators.
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

// scatter(input, dim, index, src), scatter_add, scatter_reduce.
bool ScatterInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex);
  if (!IndexesAlong(use, &dim)) return false;
  if (use.Has(kSource)) {
    const int rank = std::max(1, input.shape.rank());
    const TensorType& source = use.operand(kSource);
    if (source.dtype != input.dtype || std::max(1, source.shape.rank()) != rank) return false;
    if (index.shape.rank() == source.shape.rank() &&
        !FitsExceptAlong(index.shape, source.shape, -1))
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
  inputs->push_back(IndexTensor(shape, first.shape[dim]));
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

// The maximum number of elements that meet at one position: all along dim.
std::int64_t Together(const OperatorUse& use) {
  int dim = 0;
  if (!IndexedDimension(use, &dim) || use.shape(kIndex).rank() == 0) return 1;
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
  // Bools have no mean.
  if (use.attribute(1).choice() == 2 && use.operand(kInput).dtype == DType::kBool) return false;
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

bool IndexSelectInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const Shape shape = (*inputs)[0].type.shape;
  int dim = 0;
  if (shape.rank() == 0 || !WrapDimension(attributes[0].integer(), shape.rank(), &dim))
    return false;
  inputs->push_back(IndexTensor({draw->Binned(1, 2 * shape[dim])}, shape[dim]));
  return true;
}

template <bool must_be_long>
bool IndexSourceInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const TensorType &input = use.operand(kInput), &index = use.operand(kIndex),
                   &source = use.operand(kSource);
  if (!IndexedDimension(use, &dim) || input.shape.rank() == 0 || !IsIndex(index.dtype) ||
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
  inputs->push_back(IndexTensor({shape[dim]}, first.shape[dim]));
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
  if (!IndexedDimension(use, &dim) || index.dtype != DType::kInt64 || index.shape.rank() > 1)
    return false;
  results->push_back(use.operand(kInput));
  return true;
}

}  // namespace

void AddScatters(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "scatter",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"src"}},
                   .attributes = {BehindFirst(Dimension())},
                   .infer = ScatterInfer,
                   .inputs = ScatterInputs<true>,
                   .range = ScatterRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.scatter", "torch.Tensor.scatter"},
                   .weight = 0.6,
                   .traits = {.keeps_sizes = true}});
  rows->push_back(
      {.name = "scatter_value",
       .family = kFamily,
       .operands = {{"input"}, {"index"}},
       .attributes = {BehindFirst(Dimension()), Proposed("value", Attribute::Kind::kNumber)},
       .infer = ScatterInfer,
       .propose = ProposeValue,
       .inputs = ScatterInputs<false>,
       .range = ScatterNumberRange,
       .cost = CostOfCopy,
       .spellings = {"torch.scatter", "torch.Tensor.scatter"},
       .weight = 0.4,
       .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "scatter_add",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"src"}},
                   .attributes = {BehindFirst(Dimension())},
                   .infer = ScatterInfer,
                   .inputs = ScatterInputs<true>,
                   .range = SumsRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.scatter_add", "torch.Tensor.scatter_add"},
                   .weight = 0.8,
                   .sampler = {.bools = false},
                   .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "scatter_reduce",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"src"}},
                   .attributes = {BehindFirst(Dimension()), ChoiceOf("reduce", kReductions, {}),
                                  KeywordOnly(FlagOf("include_self", true))},
                   .infer = ScatterReduceInfer,
                   .inputs = ScatterInputs<true>,
                   .range = ScatterReduceRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.scatter_reduce", "torch.Tensor.scatter_reduce"},
                   .weight = 0.4,
                   .sampler = {.bools = false},
                   .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "index_add",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"source"}},
                   .attributes = {BehindFirst(Dimension())},
                   .infer = IndexSourceInfer<false>,
                   .inputs = IndexSourceInputs,
                   .range = SumsRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.index_add", "torch.Tensor.index_add"},
                   .weight = 0.5,
                   .sampler = {.bools = false},
                   .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "index_copy",
                   .family = kFamily,
                   .operands = {{"input"}, {"index"}, {"source"}},
                   .attributes = {BehindFirst(Dimension())},
                   .infer = IndexSourceInfer<true>,
                   .inputs = IndexSourceInputs,
                   .range = ScatterRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.index_copy", "torch.Tensor.index_copy"},
                   .weight = 0.4,
                   .traits = {.keeps_sizes = true}});
  rows->push_back(
      {.name = "index_fill",
       .family = kFamily,
       .operands = {{"input"}, {"index"}},
       .attributes = {BehindFirst(Dimension()), Proposed("value", Attribute::Kind::kNumber)},
       .infer = IndexFillInfer,
       .propose = ProposeValue,
       .inputs = IndexSelectInputs,
       .range = ScatterNumberRange,
       .cost = CostOfCopy,
       .spellings = {"torch.index_fill", "torch.Tensor.index_fill"},
       .weight = 0.4,
       .traits = {.keeps_sizes = true}});
}

}  // namespace kernelmill
