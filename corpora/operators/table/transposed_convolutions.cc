// Rows of transposed convolutions over one, two and three dimensions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/spatial_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kTransposedConvolution;

constexpr int kOutChannels = 0, kKernel = 1, kStride = 2, kPadding = 3, kOutputPadding = 4,
              kGroups = 5, kBias = 6, kDilation = 7;

template <int spatial>
bool TransposedParameters(const OperatorUse& use, Types* types) {
  const TensorType& input = use.operand(0);
  const std::int64_t groups = use.integer(kGroups), out_channels = use.integer(kOutChannels);
  if (!HasChannels(input.shape, spatial) || groups < 1 || out_channels % groups != 0 ||
      !HasIntegerForEach(use.attribute(kKernel), spatial)) {
    return false;
  }
  TensorType weight{input.dtype, {input.shape.Back(spatial), out_channels / groups}};
  for (int i = 0; i < spatial; ++i) weight.shape.Append(IntegerFor(use.attribute(kKernel), i));
  types->push_back(weight);
  if (use.attribute(kBias).flag()) types->push_back({input.dtype, {out_channels}});
  return true;
}

template <int spatial>
bool TransposedInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (!use.Has(1) || use.Has(2) != use.attribute(kBias).flag() || !IsFloating(input.dtype)) {
    return false;
  }
  for (const int i : {kKernel, kStride, kPadding, kOutputPadding, kDilation}) {
    if (!HasIntegerForEach(use.attribute(i), spatial)) return false;
  }
  Types parameters;
  if (use.integer(kOutChannels) < 1 || !TransposedParameters<spatial>(use, &parameters) ||
      input.shape.Back(spatial) % use.integer(kGroups) != 0) {
    return false;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (use.operand(int(i) + 1) != parameters[i]) return false;
  }
  TensorType type = input;
  const int first = input.shape.rank() - spatial;
  type.shape[first - 1] = use.integer(kOutChannels);
  for (int i = 0; i < spatial; ++i) {
    const std::int64_t kernel = IntegerFor(use.attribute(kKernel), i),
                       stride = IntegerFor(use.attribute(kStride), i),
                       padding = IntegerFor(use.attribute(kPadding), i),
                       more = IntegerFor(use.attribute(kOutputPadding), i),
                       dilation = IntegerFor(use.attribute(kDilation), i);
    if (kernel < 1 || stride < 1 || padding < 0 || dilation < 0 || more < 0 ||
        (dilation == 0 && kernel > 1) || (more >= stride && more >= dilation)) {
      return false;
    }
    type.shape[first + i] =
        (input.shape[first + i] - 1) * stride - 2 * padding + dilation * (kernel - 1) + more + 1;
    if (type.shape[first + i] < 0) return false;
  }
  results->push_back(type);
  return true;
}

template <int spatial>
bool TransposedPropose(Draw* draw, std::span<const TensorType* const> inputs,
                       std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (!HasChannels(shape, spatial) || !IsFloating(inputs[0]->dtype)) return false;
  const std::int64_t channels = shape.Back(spatial);
  std::int64_t groups = 1;
  if (draw->Chance(0.25)) {
    groups = draw->Binned(1, std::min<std::int64_t>(channels, 8));
    while (channels % groups != 0) --groups;
  }
  attributes[kGroups] = Attribute::Integer(groups);
  attributes[kOutChannels] =
      Attribute::Size(groups * draw->Binned(1, std::max<std::int64_t>(1, 2 * channels / groups)));
  const std::int64_t stride = draw->Chance(0.4) ? 1 : draw->Integer(2, 3);
  const std::int64_t dilation = draw->Chance(0.8) ? 1 : 2;
  std::int64_t kernels[spatial], paddings[spatial];
  const bool square = spatial == 1 || draw->Chance(0.7);
  for (int i = 0; i < spatial; ++i) {
    kernels[i] = i > 0 && square ? kernels[0] : draw->Integer(1, 5);
    paddings[i] = i > 0 && square
                      ? paddings[0]
                      : draw->Integer(0, std::min<std::int64_t>(2, (kernels[i] - 1) / 2));
  }
  const auto tuple = [&](const std::int64_t* values) {
    return square ? Attribute::Integer(values[0]) : Attribute::Integers({values, spatial});
  };
  attributes[kKernel] = tuple(kernels);
  attributes[kPadding] = tuple(paddings);
  attributes[kStride] = Attribute::Integer(stride);
  attributes[kDilation] = Attribute::Integer(dilation);
  attributes[kOutputPadding] =
      Attribute::Integer(draw->Chance(0.6) ? 0 : draw->Integer(0, stride - 1));
  return true;
}

// Each input element is multiplied by each element of the kernel.
OperatorCost TransposedCost(const OperatorUse& use, std::span<const TensorType> results) {
  const Shape& weight = use.shape(1);
  const std::int64_t places = weight.Elements() / std::max<std::int64_t>(1, weight[0]);
  return {2 * use.shape(0).Elements() * places + (use.Has(2) ? results[0].shape.Elements() : 0),
          BytesMoved(use, results)};
}

bool TransposedRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Shape& weight = use.shape(1);
  std::int64_t products = weight[0] / std::max<std::int64_t>(1, use.integer(kGroups));
  for (int i = 2; i < weight.rank(); ++i) {
    const std::int64_t stride =
        std::max<std::int64_t>(1, IntegerFor(use.attribute(kStride), i - 2));
    products *= (weight[i] + stride - 1) / stride;
  }
  Range range = HullOf(Range{}, DotOf(operands[0], operands[1], products));
  if (use.Has(2)) range = PlusOf(range, operands[2]);
  return AddRange(use.operand(0).dtype, range, results);
}

template <int spatial>
OperatorRow TransposedRow(std::string_view name, std::vector<std::string_view> spellings,
                          double weight, SamplerRules sampler = {}) {
  return {
      .name = name,
      .family = kFamily,
      .operands = {{"input"},
                   {"weight", OperandRow::Role::kParameter},
                   {"bias", OperandRow::Role::kParameter}},
      .attributes = {ModuleOnly(Proposed("out_channels", Attribute::Kind::kSize)),
                     ModuleOnly(Proposed("kernel_size", Attribute::Kind::kIntegers)),
                     Proposed("stride", Attribute::Kind::kIntegers, Attribute::Integer(1)),
                     Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                     Proposed("output_padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                     Proposed("groups", Attribute::Kind::kInteger, Attribute::Integer(1)),
                     ModuleOnly(FlagOf("bias", true)),
                     Proposed("dilation", Attribute::Kind::kIntegers, Attribute::Integer(1))},
      .infer = TransposedInfer<spatial>,
      .parameters = TransposedParameters<spatial>,
      .propose = TransposedPropose<spatial>,
      .range = TransposedRange,
      .cost = TransposedCost,
      .spellings = std::move(spellings),
      .weight = weight,
      .sampler = sampler,
      .construction = {.arguments = {SizeOf(0, -1 - spatial), Given("out_channels"),
                                     Given("kernel_size")}},
      .cpp = {.refused = {name}}};
}

}  // namespace

void AddTransposedConvolutions(std::vector<OperatorRow>* rows) {
  rows->push_back(TransposedRow<1>(
      "conv_transpose1d", {"torch.nn.functional.conv_transpose1d", "torch.nn.ConvTranspose1d"}, 3));
  rows->push_back(
      TransposedRow<2>("conv_transpose2d",
                       {"torch.nn.functional.conv_transpose2d", "torch.nn.ConvTranspose2d"}, 19));
  rows->push_back(TransposedRow<3>(
      "conv_transpose3d", {"torch.nn.functional.conv_transpose3d", "torch.nn.ConvTranspose3d"}, 26,
      {.first = 1.6}));
}

}  // namespace kernelmill
