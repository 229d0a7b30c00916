// Rows of convolutions over one, two and three dimensions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/spatial_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

// The indices of the attributes.
constexpr int kOutChannels = 0, kKernel = 1, kStride = 2, kPadding = 3, kDilation = 4, kGroups = 5,
              kBias = 6;

template <int spatial>
bool ConvolutionParameters(const OperatorUse& use, Types* types) {
  const TensorType& input = use.operand(0);
  const std::int64_t groups = use.integer(kGroups);
  if (!HasChannels(input.shape, spatial) || groups < 1 || input.shape.Back(spatial) % groups != 0) {
    return false;
  }
  TensorType weight{input.dtype, {use.integer(kOutChannels), input.shape.Back(spatial) / groups}};
  for (int i = 0; i < spatial; ++i) weight.shape.Append(IntegerFor(use.attribute(kKernel), i));
  types->push_back(weight);
  if (use.attribute(kBias).flag()) types->push_back({input.dtype, {use.integer(kOutChannels)}});
  return true;
}

template <int spatial>
bool ConvolutionInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (!use.Has(1) || use.Has(2) != use.attribute(kBias).flag() || !IsFloating(input.dtype)) {
    return false;
  }
  for (int i = kKernel; i <= kDilation; ++i) {
    if (!HasIntegerForEach(use.attribute(i), spatial)) return false;
  }
  const std::int64_t out_channels = use.integer(kOutChannels), groups = use.integer(kGroups);
  if (out_channels < 1 || groups < 1 || out_channels % groups != 0) return false;
  Types parameters;
  if (!ConvolutionParameters<spatial>(use, &parameters)) return false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (use.operand(int(i) + 1) != parameters[i]) return false;
  }
  TensorType type = input;
  const int first = input.shape.rank() - spatial;
  type.shape[first - 1] = out_channels;
  for (int i = 0; i < spatial; ++i) {
    const std::int64_t kernel = IntegerFor(use.attribute(kKernel), i),
                       stride = IntegerFor(use.attribute(kStride), i),
                       padding = IntegerFor(use.attribute(kPadding), i),
                       dilation = IntegerFor(use.attribute(kDilation), i);
    if (kernel < 1 || stride < 1 || padding < 0 || dilation < 1) return false;
    const std::int64_t room = input.shape[first + i] + 2 * padding - dilation * (kernel - 1) - 1;
    if (room < 0) return false;
    type.shape[first + i] = room / stride + 1;
  }
  results->push_back(type);
  return true;
}

// Draws kernels that are usual in networks: mostly one odd size, with padding that keeps the sizes.
template <int spatial>
bool ConvolutionPropose(Draw* draw, std::span<const TensorType* const> inputs,
                        std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (!HasChannels(shape, spatial) || !IsFloating(inputs[0]->dtype)) return false;
  const std::int64_t channels = shape.Back(spatial);
  std::int64_t groups = 1;
  if (draw->Chance(0.3)) {
    groups = draw->Chance(0.5) ? channels : draw->Binned(1, std::min<std::int64_t>(channels, 8));
    while (channels % groups != 0) --groups;
  }
  attributes[kGroups] = Attribute::Integer(groups);
  attributes[kOutChannels] =
      Attribute::Size(groups * draw->Binned(1, std::max<std::int64_t>(1, 2 * channels / groups)));
  std::int64_t least = shape.Back(0);
  for (int i = 1; i < spatial; ++i) least = std::min(least, shape.Back(i));
  std::int64_t kernels[spatial], paddings[spatial];
  const bool square = spatial == 1 || draw->Chance(0.8);
  const std::int64_t dilation = draw->Chance(0.8) ? 1 : draw->Integer(2, 3);
  const bool same = draw->Chance(0.5);
  for (int i = 0; i < spatial; ++i) {
    kernels[i] = i > 0 && square     ? kernels[0]
                 : draw->Chance(0.8) ? 1 + 2 * draw->Integer(0, 3)
                                     : draw->Integer(1, 8);
    paddings[i] = i > 0 && square ? paddings[0]
                  : same          ? dilation * (kernels[i] - 1) / 2
                                  : draw->Integer(0, 2);
    if (dilation * (kernels[i] - 1) + 1 > least + 2 * paddings[i]) {
      kernels[i] = 1;
      paddings[i] = 0;
    }
  }
  const auto tuple = [&](const std::int64_t* values) {
    return square ? Attribute::Integer(values[0]) : Attribute::Integers({values, spatial});
  };
  attributes[kKernel] = tuple(kernels);
  attributes[kPadding] = tuple(paddings);
  attributes[kStride] = Attribute::Integer(draw->Chance(0.6) ? 1 : draw->Integer(2, 4));
  attributes[kDilation] = Attribute::Integer(dilation);
  return true;
}

OperatorCost ConvolutionCost(const OperatorUse& use, std::span<const TensorType> results) {
  const Shape& weight = use.shape(1);
  const std::int64_t products = weight.Elements() / std::max<std::int64_t>(1, weight[0]);
  return {results[0].shape.Elements() * (2 * products + (use.Has(2) ? 1 : 0)),
          BytesMoved(use, results)};
}

bool ConvolutionRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Shape& weight = use.shape(1);
  Range input = operands[0];  // The padding adds zeros to the input.
  input.low = std::fmin(input.low, 0);
  input.high = std::fmax(input.high, 0);
  Range range = DotOf(input, operands[1], weight.Elements() / std::max<std::int64_t>(1, weight[0]));
  if (use.Has(2)) range = PlusOf(range, operands[2]);
  return AddRange(use.operand(0).dtype, range, results);
}

std::vector<AttributeRow> ConvolutionAttributes() {
  return {ModuleOnly(Proposed("out_channels", Attribute::Kind::kSize)),
          ModuleOnly(Proposed("kernel_size", Attribute::Kind::kIntegers)),
          Proposed("stride", Attribute::Kind::kIntegers, Attribute::Integer(1)),
          Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
          Proposed("dilation", Attribute::Kind::kIntegers, Attribute::Integer(1)),
          Proposed("groups", Attribute::Kind::kInteger, Attribute::Integer(1)),
          ModuleOnly(FlagOf("bias", true))};
}

template <int spatial>
OperatorRow ConvolutionRow(std::string_view name, std::vector<std::string_view> spellings,
                           double weight, SamplerRules sampler, OperatorWords words,
                           std::vector<std::string_view> refused) {
  return {.name = name,
          .family = OperatorFamily::kConvolution,
          .operands = {{"input"},
                       {"weight", OperandRow::Role::kParameter},
                       {"bias", OperandRow::Role::kParameter}},
          .attributes = ConvolutionAttributes(),
          .infer = ConvolutionInfer<spatial>,
          .parameters = ConvolutionParameters<spatial>,
          .propose = ConvolutionPropose<spatial>,
          .range = ConvolutionRange,
          .cost = ConvolutionCost,
          .spellings = std::move(spellings),
          .weight = weight,
          .sampler = sampler,
          .construction = {.arguments = {SizeOf(0, -1 - spatial), Given("out_channels"),
                                         Given("kernel_size")}},
          .words = std::move(words),
          .cpp = {.refused = std::move(refused)}};
}

constexpr std::string_view kOverGroup = "over the channels of its group";

}  // namespace

void AddConvolutions(std::vector<OperatorRow>* rows) {
  rows->push_back(ConvolutionRow<1>(
      "conv1d", {"torch.nn.functional.conv1d", "torch.conv1d", "torch.nn.Conv1d"}, 3,
      {.first = 0.6},
      {.formula =
           "y[n][o][l] = sum_{c,t} w[o][c][t] * x[n][c][l * stride + t * dilation - padding]",
       .note = kOverGroup},
      {"conv1d"}));
  rows->push_back(ConvolutionRow<2>(
      "conv2d", {"torch.nn.functional.conv2d", "torch.conv2d", "torch.nn.Conv2d"}, 61,
      {.first = 0.55},
      {.formula = "y[n][o][p][q] = sum_{c,r,s} w[o][c][r][s] * x[n][c][p * stride + r * "
                  "dilation - padding][q * stride + s * dilation - padding]",
       .note = kOverGroup},
      {"conv2d", "convolution"}));
  rows->push_back(
      ConvolutionRow<3>("conv3d", {"torch.nn.functional.conv3d", "torch.conv3d", "torch.nn.Conv3d"},
                        16, {.first = 1.3}, {}, {"conv3d"}));
}

}  // namespace kernelmill
