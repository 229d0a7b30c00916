// Rows of padding and interpolation.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/spatial_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kInterpolation;

constexpr std::string_view kPadModes[] = {"constant", "reflect", "replicate", "circular"};
constexpr int kConstant = 0, kReflect = 1, kCircular = 3;

// pad(input, pad, mode, value): `pad` has pairs (before, after), from the last dimension on.
bool PadInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const auto pads = use.attribute(0).integers();
  const int mode = use.attribute(1).choice(), dims = int(pads.size()) / 2, rank = type.shape.rank();
  if (pads.size() % 2 != 0 || pads.empty() || dims > rank) return false;
  // Modes other than constant pad one, two or three dimensions after batch and channels.
  if (mode != kConstant && !(dims <= 3 && HasChannels(type.shape, dims))) return false;
  if ((mode == kReflect || mode == 2) && type.dtype == DType::kBool) return false;
  for (int i = 0; i < dims; ++i) {
    std::int64_t& size = type.shape[rank - 1 - i];
    const std::int64_t before = pads[std::size_t(2 * i)], after = pads[std::size_t(2 * i + 1)];
    if (mode == kReflect && (before >= size || after >= size)) return false;
    if (mode == kCircular && (before > size || after > size)) return false;
    size += before + after;
    if (size < (mode == kReflect ? 1 : 0)) return false;
  }
  results->push_back(type);
  return true;
}

bool PadPropose(Draw* draw, std::span<const TensorType* const> inputs,
                std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0) return false;
  const int mode = attributes[1].choice();
  int dims = int(draw->Integer(1, std::min(shape.rank(), 3)));
  if (mode != kConstant) {
    if (shape.rank() < 2) return false;
    dims = std::min(3, shape.rank() - (shape.rank() > 2 && draw->Chance(0.8) ? 2 : 1));
  }
  std::int64_t pads[6];
  for (int i = 0; i < dims; ++i) {
    const std::int64_t most = std::min<std::int64_t>(3, shape.Back(i) - 1);
    pads[2 * i] = draw->Integer(0, most);
    pads[2 * i + 1] = draw->Chance(0.6) ? pads[2 * i] : draw->Integer(0, most);
  }
  attributes[0] = Attribute::Integers({pads, std::size_t(2 * dims)});
  if (mode == kConstant && IsFloating(inputs[0]->dtype) && draw->Chance(0.3)) {
    attributes[2] = Attribute::Number(double(draw->Integer(-4, 4)) / 2);
  }
  return true;
}

bool PadRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double value = use.attribute(2).is_none() ? 0 : use.attribute(2).number();
  const Range& range = operands[0];
  if (use.attribute(1).choice() != kConstant) return RangeOfFirstOperand(use, operands, results);
  return AddRange(use.operand(0).dtype,
                  {std::fmin(range.low, value), std::fmax(range.high, value), range.scale},
                  results);
}

constexpr std::string_view kModes[] = {"nearest",   "linear", "bilinear",     "bicubic",
                                       "trilinear", "area",   "nearest-exact"};
constexpr int kSpatialOfMode[] = {0, 1, 2, 2, 3, 0, 0};  // 0 stands for any number.
constexpr int kBicubic = 3;

// interpolate(input, size, scale_factor, mode, align_corners).
bool InterpolateInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const int spatial = type.shape.rank() - 2, mode = use.attribute(2).choice();
  if (spatial < 1 || spatial > 3) return false;
  if (kSpatialOfMode[mode] != 0 && kSpatialOfMode[mode] != spatial) return false;
  if (kSpatialOfMode[mode] == 0 && !use.attribute(3).is_none()) return false;
  if (use.attribute(0).is_none() == use.attribute(1).is_none()) return false;
  if (!IsFloating(type.dtype) &&
      (type.dtype != DType::kUInt8 || mode == 1 || (mode > 3 && mode != 6)))
    return false;
  if (!use.attribute(0).is_none() && use.attribute(0).kind() == Attribute::Kind::kIntegers &&
      int(use.attribute(0).integers().size()) != spatial) {
    return false;
  }
  for (int i = 0; i < spatial; ++i) {
    std::int64_t& size = type.shape[2 + i];
    size = use.attribute(0).is_none()
               ? std::int64_t(std::floor(double(size) * use.attribute(1).number()))
               : IntegerFor(use.attribute(0), i);
    if (size < 1) return false;
  }
  results->push_back(type);
  return true;
}

bool InterpolatePropose(Draw* draw, std::span<const TensorType* const> inputs,
                        std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  const int spatial = shape.rank() - 2;
  if (spatial < 1 || spatial > 3) return false;
  static constexpr int kOfSpatial[3][5] = {{0, 1, 5, 6, 1}, {0, 2, 3, 2, 5}, {0, 4, 4, 5, 6}};
  const int mode = kOfSpatial[spatial - 1][draw->Index(5)];
  attributes[2] = Attribute::Choice(mode);
  if (kSpatialOfMode[mode] != 0 && draw->Chance(0.6)) {
    attributes[3] = Attribute::Flag(draw->Chance(0.5));
  }
  if (draw->Chance(0.6)) {
    static constexpr double kFactors[] = {2, 2, 3, 0.5, 1.5};
    const double factor = kFactors[draw->Index(5)];
    attributes[1] = Attribute::Number(factor);
    return std::all_of(shape.begin() + 2, shape.end(),
                       [&](auto size) { return double(size) * factor >= 1; });
  }
  std::int64_t sizes[3];
  for (int i = 0; i < spatial; ++i) sizes[i] = draw->Binned(1, 2 * shape[2 + i]);
  attributes[0] = spatial == 1 || draw->Chance(0.3)
                      ? Attribute::Integer(sizes[0])
                      : Attribute::Integers({sizes, std::size_t(spatial)});
  return true;
}

bool InterpolateRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  if (use.attribute(2).choice() != kBicubic) return RangeOfFirstOperand(use, operands, results);
  // Cubic weights can be negative, so each dimension exceeds the range by less than a third.
  const double most = 1.9 * std::fmax(std::fabs(range.low), std::fabs(range.high));
  return AddRange(use.operand(0).dtype, {-most, most, range.scale}, results);
}

OperatorCost InterpolateCost(const OperatorUse& use, std::span<const TensorType> results) {
  static constexpr int kFlops[] = {0, 3, 8, 40, 18, 4, 0};
  return {kFlops[use.attribute(2).choice()] * results[0].shape.Elements(),
          BytesMoved(use, results)};
}

constexpr std::string_view kSampleModes[] = {"bilinear", "nearest", "bicubic"};
constexpr std::string_view kSamplePadding[] = {"zeros", "border", "reflection"};

// grid_sample(input, grid): the grid holds a position in [-1, 1] for each result.
bool GridSampleInfer(const OperatorUse& use, Types* results) {
  const TensorType &input = use.operand(0), &grid = use.operand(1);
  const int spatial = input.shape.rank() - 2;
  if (spatial < 2 || spatial > 3 || grid.shape.rank() != spatial + 2 || input.dtype != grid.dtype ||
      grid.shape.Back(0) != spatial || grid.shape[0] != input.shape[0] ||
      !IsFloating(input.dtype) || (spatial == 3 && use.attribute(0).choice() == 2)) {
    return false;
  }
  TensorType type = input;
  for (int i = 0; i < spatial; ++i) type.shape[2 + i] = grid.shape[1 + i];
  results->push_back(type);
  return true;
}

bool GridSampleInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  const int spatial = first.shape.rank() - 2;
  if (spatial < 2) return false;
  TensorType grid{first.dtype, {first.shape[0]}};
  for (int i = 0; i < spatial; ++i) grid.shape.Append(draw->Binned(1, 16));
  grid.shape.Append(spatial);
  inputs->push_back({grid, Range::Uniform(-1, 1)});
  return true;
}

bool GridSampleRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Range range = HullOf(operands[0], Range{});
  if (use.attribute(0).choice() == 2) {
    const double most = 1.9 * std::fmax(-range.low, range.high);
    range = {-most, most, range.scale};
  }
  return AddRange(use.operand(0).dtype, range, results);
}

}  // namespace

void AddInterpolations(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "pad",
       .family = OperatorFamily::kPadding,
       .operands = {{"input"}},
       .attributes = {Proposed("pad", Attribute::Kind::kIntegers), ChoiceOf("mode", kPadModes),
                      Proposed("value", Attribute::Kind::kNumber)},
       .infer = PadInfer,
       .propose = PadPropose,
       .range = PadRange,
       .cost = CostPerElement<0>,
       .spellings = {"torch.nn.functional.pad"},
       .weight = 5});
  rows->push_back({.name = "interpolate",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("size", Attribute::Kind::kIntegers),
                                  Proposed("scale_factor", Attribute::Kind::kNumber),
                                  {"mode",
                                   Attribute::Kind::kChoice,
                                   Attribute::Choice(0),
                                   {AttributeDraw::Kind::kProposed},
                                   kModes},
                                  Proposed("align_corners", Attribute::Kind::kFlag)},
                   .infer = InterpolateInfer,
                   .propose = InterpolatePropose,
                   .range = InterpolateRange,
                   .cost = InterpolateCost,
                   .spellings = {"torch.nn.functional.interpolate", "torch.nn.Upsample"},
                   .weight = 2});
  rows->push_back(
      {.name = "grid_sample",
       .family = kFamily,
       .operands = {{"input"}, {"grid"}},
       .attributes =
           {ChoiceOf("mode", kSampleModes),
            ChoiceOf("padding_mode", kSamplePadding),
            {"align_corners", Attribute::Kind::kFlag, Attribute(), {AttributeDraw::Kind::kFlag}}},
       .infer = GridSampleInfer,
       .inputs = GridSampleInputs,
       .range = GridSampleRange,
       .cost = CostPerElement<20>,
       .spellings = {"torch.nn.functional.grid_sample"},
       .weight = 0.5});
}

}  // namespace kernelmill
