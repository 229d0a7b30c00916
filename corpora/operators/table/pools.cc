// Rows of pooling over one, two and three dimensions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/spatial_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kPooling;

// The attributes of max_pool: kernel_size, stride, padding, dilation, ceil_mode. avg_pool lacks
// dilation, and lp_pool also lacks padding.
struct Window {
  std::int64_t kernel, stride, padding, dilation;
  bool ceil;

  // The number of windows that begin within `size` or the padding before it; false when torch
  // rejects the attributes.
  bool Count(std::int64_t size, std::int64_t* count) const {
    if (kernel < 1 || stride < 1 || padding < 0 || dilation < 1 || 2 * padding > kernel ||
        (dilation > 1 && 2 * padding > dilation * (kernel - 1) + 1)) {
      return false;
    }
    const std::int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
    const std::int64_t steps = room + (ceil ? stride - 1 : 0);
    *count = (steps >= 0 ? steps / stride : -((stride - 1 - steps) / stride)) + 1;
    if (ceil && (*count - 1) * stride >= size + padding) --*count;
    return *count >= 1;
  }
};

enum class Pool { kMax, kAverage, kPower };

// Whether torch pools this dtype on a CPU: integers in some cases, half precision not everywhere.
bool PoolTakes(Pool pool, int spatial, DType dtype) {
  if (IsFloating(dtype)) return pool == Pool::kMax || spatial < 3 || dtype >= DType::kFloat32;
  if (pool == Pool::kAverage) return dtype == DType::kInt64;
  return pool == Pool::kPower || (spatial > 1 && dtype != DType::kBool);
}

template <Pool pool>
Window WindowOf(const OperatorUse& use, int i) {
  constexpr int kKernel = pool == Pool::kPower ? 1 : 0;
  Window window{IntegerFor(use.attribute(kKernel), i), 0, 0, 1, false};
  window.stride = use.attribute(kKernel + 1).is_none() ? window.kernel
                                                       : IntegerFor(use.attribute(kKernel + 1), i);
  if (pool != Pool::kPower) window.padding = IntegerFor(use.attribute(2), i);
  if (pool == Pool::kMax) window.dilation = IntegerFor(use.attribute(3), i);
  window.ceil = use.attribute(pool == Pool::kMax ? 4 : pool == Pool::kAverage ? 3 : 3).flag();
  return window;
}

template <Pool pool, int spatial>
bool PoolInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  if (!HasChannels(type.shape, spatial) || !PoolTakes(pool, spatial, type.dtype)) {
    return false;
  }
  for (std::size_t i = 0; i < use.attributes.size(); ++i) {
    const Attribute& attribute = use.attributes[i];
    if (attribute.kind() == Attribute::Kind::kIntegers && !HasIntegerForEach(attribute, spatial))
      return false;
  }
  const int first = type.shape.rank() - spatial;
  for (int i = 0; i < spatial; ++i) {
    std::int64_t& size = type.shape[first + i];
    const Window window = WindowOf<pool>(use, i);
    // Three-dimensional average pooling needs one whole window without padding and ceil_mode.
    if (pool != Pool::kMax && spatial == 3 && size < window.kernel) return false;
    if (!window.Count(size, &size)) return false;
  }
  if (pool == Pool::kPower) type.dtype = FloatingOf(type.dtype);
  results->push_back(type);
  return true;
}

template <Pool pool, int spatial>
bool PoolPropose(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (!HasChannels(shape, spatial)) return false;
  std::int64_t least = shape.Back(0);
  for (int i = 1; i < spatial; ++i) least = std::min(least, shape.Back(i));
  constexpr int kKernel = pool == Pool::kPower ? 1 : 0;
  const std::int64_t kernel = draw->Integer(1, std::min<std::int64_t>(least, 5));
  attributes[kKernel] = Attribute::Integer(kernel);
  if (spatial > 1 && draw->Chance(0.2)) {
    std::int64_t kernels[spatial];
    for (std::int64_t& size : kernels)
      size = draw->Integer(kernel, std::min<std::int64_t>(least, 5));
    attributes[kKernel] = Attribute::Integers({kernels, spatial});
  }
  if (draw->Chance(0.6)) attributes[kKernel + 1] = Attribute::Integer(draw->Integer(1, 3));
  if (pool != Pool::kPower && draw->Chance(0.4)) {
    attributes[2] = Attribute::Integer(draw->Integer(0, kernel / 2));
  }
  if (pool == Pool::kMax && draw->Chance(0.2) && 2 * (kernel - 1) < least) {
    attributes[3] = Attribute::Integer(2);
  }
  if (pool == Pool::kPower) attributes[0] = Attribute::Number(draw->Chance(0.8) ? 2 : 1);
  return true;
}

template <Pool pool, int spatial>
OperatorCost PoolCost(const OperatorUse& use, std::span<const TensorType> results) {
  std::int64_t window = pool == Pool::kPower ? 2 : 1;
  for (int i = 0; i < spatial; ++i) window *= WindowOf<pool>(use, i).kernel;
  return {window * results[0].shape.Elements(), BytesMoved(use, results)};
}

template <int spatial>
bool AverageRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  return AddRange(use.operand(0).dtype,
                  {std::fmin(range.low, 0), std::fmax(range.high, 0), range.scale}, results);
}

// The root of a sum of powers over the window.
template <int spatial>
bool PowerRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double order = use.attribute(0).number();
  const Range& range = operands[0];
  // For odd powers other than 1, a negative sum has no root.
  if (order != 2 && (order != 1 && range.low < 0)) return false;
  double window = 1;
  for (int i = 0; i < spatial; ++i) window *= double(WindowOf<Pool::kPower>(use, i).kernel);
  const double most = std::fmax(std::fabs(range.low), std::fabs(range.high));
  const double factor = std::pow(window, 1 / order);
  if (order == 2 && window * most * most > (use.operand(0).dtype == DType::kFloat16 ? 6e4 : 1e38)) {
    return false;
  }
  return AddRange(
      FloatingOf(use.operand(0).dtype),
      {order == 1 && range.low < 0 ? -factor * most : 0, factor * most, factor * range.scale},
      results);
}

// One output size for all dimensions, or one for each.
template <int spatial>
bool AdaptiveInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  if (!HasChannels(type.shape, spatial) || !HasIntegerForEach(use.attribute(0), spatial) ||
      !IsFloating(type.dtype)) {
    return false;
  }
  const int first = type.shape.rank() - spatial;
  for (int i = 0; i < spatial; ++i) {
    type.shape[first + i] = IntegerFor(use.attribute(0), i);
    if (type.shape[first + i] < 0) return false;
  }
  results->push_back(type);
  return true;
}

template <int spatial>
bool AdaptivePropose(Draw* draw, std::span<const TensorType* const> inputs,
                     std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (!HasChannels(shape, spatial)) return false;
  if (draw->Chance(0.4)) {
    attributes[0] = Attribute::Integer(1);
    return true;
  }
  std::int64_t sizes[spatial];
  for (int i = 0; i < spatial; ++i) sizes[i] = draw->Binned(1, shape.Back(spatial - 1 - i));
  attributes[0] = spatial == 1 || draw->Chance(0.4) ? Attribute::Integer(sizes[0])
                                                    : Attribute::Integers({sizes, spatial});
  return true;
}

}  // namespace

void AddPools(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "max_pool1d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      Proposed("dilation", Attribute::Kind::kIntegers, Attribute::Integer(1)),
                      FlagOf("ceil_mode")},
       .infer = PoolInfer<Pool::kMax, 1>,
       .propose = PoolPropose<Pool::kMax, 1>,
       .range = RangeOfFirstOperand,
       .cost = PoolCost<Pool::kMax, 1>,
       .spellings = {"torch.nn.functional.max_pool1d", "torch.max_pool1d", "torch.nn.MaxPool1d"},
       .weight = 3,
       .cpp = {.refused = {"max_pool1d"}}});
  rows->push_back(
      {.name = "max_pool2d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      Proposed("dilation", Attribute::Kind::kIntegers, Attribute::Integer(1)),
                      FlagOf("ceil_mode")},
       .infer = PoolInfer<Pool::kMax, 2>,
       .propose = PoolPropose<Pool::kMax, 2>,
       .range = RangeOfFirstOperand,
       .cost = PoolCost<Pool::kMax, 2>,
       .spellings = {"torch.nn.functional.max_pool2d", "torch.max_pool2d", "torch.nn.MaxPool2d"},
       .weight = 20,
       .words = {.member = "maxpool",
                 .formula = "y[n][c][p][q] = max_{r,s} x[n][c][p * stride + r * dilation - "
                            "padding][q * stride + s * dilation - padding]"},
       .cpp = {.refused = {"max_pool2d"}}});
  rows->push_back(
      {.name = "max_pool3d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      Proposed("dilation", Attribute::Kind::kIntegers, Attribute::Integer(1)),
                      FlagOf("ceil_mode")},
       .infer = PoolInfer<Pool::kMax, 3>,
       .propose = PoolPropose<Pool::kMax, 3>,
       .range = RangeOfFirstOperand,
       .cost = PoolCost<Pool::kMax, 3>,
       .spellings = {"torch.nn.functional.max_pool3d", "torch.max_pool3d", "torch.nn.MaxPool3d"},
       .weight = 8,
       .sampler = {.follower = 2.8},
       .cpp = {.refused = {"max_pool3d"}}});
  rows->push_back(
      {.name = "avg_pool1d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      FlagOf("ceil_mode"), FlagOf("count_include_pad", true)},
       .infer = PoolInfer<Pool::kAverage, 1>,
       .propose = PoolPropose<Pool::kAverage, 1>,
       .range = AverageRange<1>,
       .cost = PoolCost<Pool::kAverage, 1>,
       .spellings = {"torch.nn.functional.avg_pool1d", "torch.nn.AvgPool1d"},
       .weight = 3,
       .cpp = {.refused = {"avg_pool1d"}}});
  rows->push_back(
      {.name = "avg_pool2d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      FlagOf("ceil_mode"), FlagOf("count_include_pad", true)},
       .infer = PoolInfer<Pool::kAverage, 2>,
       .propose = PoolPropose<Pool::kAverage, 2>,
       .range = AverageRange<2>,
       .cost = PoolCost<Pool::kAverage, 2>,
       .spellings = {"torch.nn.functional.avg_pool2d", "torch.nn.AvgPool2d"},
       .weight = 7,
       .sampler = {.follower = 1.5},
       .words = {.formula = "y[n][c][p][q] = sum_{r,s} x[n][c][p * stride + r - padding][q * "
                            "stride + s - padding] / count"},
       .cpp = {.refused = {"avg_pool2d"}}});
  rows->push_back(
      {.name = "avg_pool3d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers),
                      Proposed("padding", Attribute::Kind::kIntegers, Attribute::Integer(0)),
                      FlagOf("ceil_mode"), FlagOf("count_include_pad", true)},
       .infer = PoolInfer<Pool::kAverage, 3>,
       .propose = PoolPropose<Pool::kAverage, 3>,
       .range = AverageRange<3>,
       .cost = PoolCost<Pool::kAverage, 3>,
       .spellings = {"torch.nn.functional.avg_pool3d", "torch.nn.AvgPool3d"},
       .weight = 5,
       .sampler = {.follower = 3.2},
       .cpp = {.refused = {"avg_pool3d"}}});
  rows->push_back(
      {.name = "lp_pool1d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("norm_type", Attribute::Kind::kNumber),
                      Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers), FlagOf("ceil_mode")},
       .infer = PoolInfer<Pool::kPower, 1>,
       .propose = PoolPropose<Pool::kPower, 1>,
       .range = PowerRange<1>,
       .cost = PoolCost<Pool::kPower, 1>,
       .spellings = {"torch.nn.functional.lp_pool1d", "torch.nn.LPPool1d"},
       .weight = 0.4});
  rows->push_back(
      {.name = "lp_pool2d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("norm_type", Attribute::Kind::kNumber),
                      Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers), FlagOf("ceil_mode")},
       .infer = PoolInfer<Pool::kPower, 2>,
       .propose = PoolPropose<Pool::kPower, 2>,
       .range = PowerRange<2>,
       .cost = PoolCost<Pool::kPower, 2>,
       .spellings = {"torch.nn.functional.lp_pool2d", "torch.nn.LPPool2d"},
       .weight = 0.5});
  rows->push_back(
      {.name = "lp_pool3d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("norm_type", Attribute::Kind::kNumber),
                      Proposed("kernel_size", Attribute::Kind::kIntegers),
                      Proposed("stride", Attribute::Kind::kIntegers), FlagOf("ceil_mode")},
       .infer = PoolInfer<Pool::kPower, 3>,
       .propose = PoolPropose<Pool::kPower, 3>,
       .range = PowerRange<3>,
       .cost = PoolCost<Pool::kPower, 3>,
       .spellings = {"torch.nn.functional.lp_pool3d", "torch.nn.LPPool3d"},
       .weight = 0.3});
  rows->push_back(
      {.name = "adaptive_avg_pool1d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("output_size", Attribute::Kind::kIntegers)},
       .infer = AdaptiveInfer<1>,
       .propose = AdaptivePropose<1>,
       .range = RangeOfFirstOperand,
       .cost = CostPerInput<1>,
       .spellings = {"torch.nn.functional.adaptive_avg_pool1d", "torch.nn.AdaptiveAvgPool1d"},
       .weight = 3});
  rows->push_back(
      {.name = "adaptive_avg_pool2d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("output_size", Attribute::Kind::kIntegers)},
       .infer = AdaptiveInfer<2>,
       .propose = AdaptivePropose<2>,
       .range = RangeOfFirstOperand,
       .cost = CostPerInput<1>,
       .spellings = {"torch.nn.functional.adaptive_avg_pool2d", "torch.nn.AdaptiveAvgPool2d"},
       .weight = 12,
       .sampler = {.follower = 1.3}});
  rows->push_back(
      {.name = "adaptive_avg_pool3d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("output_size", Attribute::Kind::kIntegers)},
       .infer = AdaptiveInfer<3>,
       .propose = AdaptivePropose<3>,
       .range = RangeOfFirstOperand,
       .cost = CostPerInput<1>,
       .spellings = {"torch.nn.functional.adaptive_avg_pool3d", "torch.nn.AdaptiveAvgPool3d"},
       .weight = 3,
       .sampler = {.follower = 2}});
  rows->push_back(
      {.name = "adaptive_max_pool1d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("output_size", Attribute::Kind::kIntegers)},
       .infer = AdaptiveInfer<1>,
       .propose = AdaptivePropose<1>,
       .range = RangeOfFirstOperand,
       .cost = CostPerInput<1>,
       .spellings = {"torch.nn.functional.adaptive_max_pool1d", "torch.nn.AdaptiveMaxPool1d"},
       .weight = 0.5});
  rows->push_back(
      {.name = "adaptive_max_pool2d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("output_size", Attribute::Kind::kIntegers)},
       .infer = AdaptiveInfer<2>,
       .propose = AdaptivePropose<2>,
       .range = RangeOfFirstOperand,
       .cost = CostPerInput<1>,
       .spellings = {"torch.nn.functional.adaptive_max_pool2d", "torch.nn.AdaptiveMaxPool2d"},
       .weight = 0.7});
  rows->push_back(
      {.name = "adaptive_max_pool3d",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("output_size", Attribute::Kind::kIntegers)},
       .infer = AdaptiveInfer<3>,
       .propose = AdaptivePropose<3>,
       .range = RangeOfFirstOperand,
       .cost = CostPerInput<1>,
       .spellings = {"torch.nn.functional.adaptive_max_pool3d", "torch.nn.AdaptiveMaxPool3d"},
       .weight = 0.4});
}

}  // namespace kernelmill
