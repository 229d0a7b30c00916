// Rows of operators that rearrange channels, columns and rows.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/spatial_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kLayout;

// (…, channels * factor², height, width) to (…, channels, height * factor, width * factor).
bool PixelShuffleInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const std::int64_t factor = use.integer(0);
  if (type.shape.rank() < 3 || factor < 1) return false;
  const int rank = type.shape.rank();
  if (type.shape[rank - 3] % (factor * factor) != 0) return false;
  type.shape[rank - 3] /= factor * factor;
  type.shape[rank - 2] *= factor;
  type.shape[rank - 1] *= factor;
  results->push_back(type);
  return true;
}

bool PixelUnshuffleInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const std::int64_t factor = use.integer(0);
  if (type.shape.rank() < 3 || factor < 1) return false;
  const int rank = type.shape.rank();
  if (type.shape[rank - 2] % factor != 0 || type.shape[rank - 1] % factor != 0) return false;
  type.shape[rank - 3] *= factor * factor;
  type.shape[rank - 2] /= factor;
  type.shape[rank - 1] /= factor;
  results->push_back(type);
  return true;
}

bool ChannelShuffleInfer(const OperatorUse& use, Types* results) {
  const Shape& shape = use.shape(0);
  const std::int64_t groups = use.integer(0);
  if (shape.rank() < 3 || groups < 1 || shape[1] % groups != 0) return false;
  results->push_back(use.operand(0));
  return true;
}

bool ChannelShufflePropose(Draw* draw, std::span<const TensorType* const> inputs,
                           std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() < 3) return false;
  std::int64_t groups = draw->Binned(1, std::min<std::int64_t>(shape[1], 8));
  while (shape[1] % groups != 0) --groups;
  attributes[0] = Attribute::Integer(groups);
  return true;
}

// Counts the positions of unfold's kernel. unfold(input, kernel_size, dilation, padding, stride)
// has one column per position.
bool Places(const OperatorUse& use, int first, const Shape& sizes, std::int64_t* places,
            std::int64_t* kernel) {
  *places = *kernel = 1;
  for (int i = first; i < first + 4; ++i) {
    if (!HasIntegerForEach(use.attribute(i), 2)) return false;
  }
  for (int i = 0; i < 2; ++i) {
    const std::int64_t size = IntegerFor(use.attribute(first), i),
                       dilation = IntegerFor(use.attribute(first + 1), i),
                       padding = IntegerFor(use.attribute(first + 2), i),
                       stride = IntegerFor(use.attribute(first + 3), i);
    if (size < 1 || dilation < 1 || padding < 0 || stride < 1) return false;
    const std::int64_t room = sizes[i] + 2 * padding - dilation * (size - 1) - 1;
    if (room < 0) return false;
    *places *= room / stride + 1;
    *kernel *= size;
  }
  return true;
}

bool Im2colInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  const int rank = input.shape.rank();
  if (rank != 3 && rank != 4) return false;
  std::int64_t places = 0, kernel = 0;
  if (!Places(use, 0, {input.shape[rank - 2], input.shape[rank - 1]}, &places, &kernel))
    return false;
  TensorType type{input.dtype, {}};
  if (rank == 4) type.shape.Append(input.shape[0]);
  type.shape.Append(input.shape[rank - 3] * kernel);
  type.shape.Append(places);
  results->push_back(type);
  return IsFloating(input.dtype) || input.dtype == DType::kBool;
}

bool Im2colPropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() != 4 && shape.rank() != 3) return false;
  const std::int64_t least = std::min(shape.Back(0), shape.Back(1));
  const std::int64_t kernel = draw->Integer(1, std::min<std::int64_t>(least, 4));
  attributes[0] = Attribute::Integer(kernel);
  if (draw->Chance(0.3)) attributes[2] = Attribute::Integer(draw->Integer(0, 1));
  if (draw->Chance(0.6))
    attributes[3] = Attribute::Integer(draw->Chance(0.6) ? kernel : draw->Integer(1, 3));
  return true;
}

// fold(input, output_size, kernel_size, dilation, padding, stride): overlapping columns are added
// up.
bool FoldInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  const int rank = input.shape.rank();
  if ((rank != 2 && rank != 3) || !HasIntegerForEach(use.attribute(0), 2)) return false;
  const Shape sizes{IntegerFor(use.attribute(0), 0), IntegerFor(use.attribute(0), 1)};
  std::int64_t places = 0, kernel = 0;
  if (sizes[0] < 1 || sizes[1] < 1 || !Places(use, 1, sizes, &places, &kernel) ||
      input.shape[rank - 1] != places || input.shape[rank - 2] % kernel != 0) {
    return false;
  }
  TensorType type{input.dtype, {}};
  if (rank == 3) type.shape.Append(input.shape[0]);
  type.shape.Append(input.shape[rank - 2] / kernel);
  type.shape.Append(sizes[0]);
  type.shape.Append(sizes[1]);
  results->push_back(type);
  return IsFloating(input.dtype) || input.dtype == DType::kBool;
}

// Draws a kernel that divides the rows, and an output size with as many positions as there are
// columns.
bool FoldPropose(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() != 2 && shape.rank() != 3) return false;
  const std::int64_t rows = shape.Back(1), columns = shape.Back(0);
  std::int64_t kernel = draw->Integer(1, 3);
  while (rows % (kernel * kernel) != 0) --kernel;
  std::int64_t height = draw->Integer(1, std::min<std::int64_t>(columns, 8));
  while (columns % height != 0) --height;
  const std::int64_t stride = draw->Chance(0.6) ? kernel : 1;
  const std::int64_t sizes[] = {(height - 1) * stride + kernel,
                                (columns / height - 1) * stride + kernel};
  attributes[0] = Attribute::Integers(sizes);
  attributes[1] = Attribute::Integer(kernel);
  attributes[4] = Attribute::Integer(stride);
  return true;
}

bool FoldRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  std::int64_t kernel = IntegerFor(use.attribute(1), 0) * IntegerFor(use.attribute(1), 1);
  Range range = SumOf(operands[0], kernel);
  range.low = std::fmin(std::fmin(range.low, operands[0].low), 0);
  range.high = std::fmax(std::fmax(range.high, operands[0].high), 0);
  return AddRange(use.operand(0).dtype, range, results);
}

bool Im2colRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(
      use.operand(0).dtype,
      {std::fmin(operands[0].low, 0), std::fmax(operands[0].high, 0), operands[0].scale}, results);
}

// hstack concatenates along dimension 1 (for vectors 0), vstack along 0 (vectors become rows).
template <bool vertical>
bool HstackInfer(const OperatorUse& use, Types* results) {
  Types types;
  std::vector<const TensorType*> operands;
  for (std::size_t i = 0; i < use.operands.size(); ++i) {
    types.push_back(use.operand(int(i)));
    Shape& shape = types.back().shape;
    if (shape.rank() == 0) shape.Append(1);
    if (vertical && shape.rank() == 1) shape.Insert(0, 1);
  }
  TensorType type{ResultDType(use), types[0].shape};
  const int dim = vertical || type.shape.rank() == 1 ? 0 : 1;
  for (std::size_t i = 1; i < types.size(); ++i) {
    const Shape& shape = types[i].shape;
    if (shape.rank() != type.shape.rank()) return false;
    for (int j = 0; j < shape.rank(); ++j) {
      if (j != dim && shape[j] != type.shape[j]) return false;
    }
    type.shape[dim] += shape[dim];
  }
  results->push_back(type);
  return true;
}

}  // namespace

void AddRearrangements(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "pixel_shuffle",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {IntegerBetween("upscale_factor", 1, 3)},
                   .infer = PixelShuffleInfer,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.nn.functional.pixel_shuffle", "torch.pixel_shuffle",
                                 "torch.nn.PixelShuffle"},
                   .weight = 1});
  rows->push_back({.name = "pixel_unshuffle",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {IntegerBetween("downscale_factor", 1, 3)},
                   .infer = PixelUnshuffleInfer,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.nn.functional.pixel_unshuffle", "torch.pixel_unshuffle",
                                 "torch.nn.PixelUnshuffle"},
                   .weight = 0.5});
  rows->push_back({.name = "channel_shuffle",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("groups", Attribute::Kind::kInteger)},
                   .infer = ChannelShuffleInfer,
                   .propose = ChannelShufflePropose,
                   .range = RangeOfFirstOperand,
                   .cost = CostOfCopy,
                   .spellings = {"torch.nn.functional.channel_shuffle", "torch.channel_shuffle",
                                 "torch.nn.ChannelShuffle"},
                   .weight = 0.6,
                   .traits = {.keeps_sizes = true}});
  rows->push_back(
      {.name = "unfold",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("dilation", Attribute::Kind::kIntegers, Attribute::Integer(1)),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      Proposed("stride", Attribute::Kind::kIntegers, Attribute::Integer(1))},
       .infer = Im2colInfer,
       .propose = Im2colPropose,
       .range = Im2colRange,
       .cost = CostOfCopy,
       .spellings = {"torch.nn.functional.unfold", "torch.nn.Unfold"},
       .weight = 1});
  rows->push_back(
      {.name = "fold",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("output_size", Attribute::Kind::kIntegers),
                      Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("dilation", Attribute::Kind::kIntegers, Attribute::Integer(1)),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      Proposed("stride", Attribute::Kind::kIntegers, Attribute::Integer(1))},
       .infer = FoldInfer,
       .propose = FoldPropose,
       .range = FoldRange,
       .cost = CostPerInput<1>,
       .spellings = {"torch.nn.functional.fold", "torch.nn.Fold"},
       .weight = 0.5,
       .words = {.like_family = false}});
  rows->push_back({.name = "hstack",
                   .family = kFamily,
                   .operands = {{"tensors", OperandRow::Role::kList}},
                   .infer = HstackInfer<false>,
                   .inputs = InputsAlike<1>,
                   .range = RangeOfHull,
                   .cost = CostOfCopy,
                   .spellings = {"torch.hstack"},
                   .weight = 0.3});
  rows->push_back({.name = "vstack",
                   .family = kFamily,
                   .operands = {{"tensors", OperandRow::Role::kList}},
                   .infer = HstackInfer<true>,
                   .inputs = InputsAlike<1>,
                   .range = RangeOfHull,
                   .cost = CostOfCopy,
                   .spellings = {"torch.vstack"},
                   .weight = 0.3});
}

}  // namespace kernelmill
