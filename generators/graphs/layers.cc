#include "generators/graphs/layers.h"

#include <string>

namespace kernelmill {
namespace {

// The operator for x's number of spatial dimensions: "conv2d" for an image.
std::string_view OverSpace(const GraphDraft& d, ValueId x, const std::string_view (&names)[3]) {
  return names[std::clamp(d.rank(x) - 3, 0, 2)];
}

constexpr std::string_view kConvolutions[3] = {"conv1d", "conv2d", "conv3d"};
constexpr std::string_view kTransposed[3] = {"conv_transpose1d", "conv_transpose2d",
                                             "conv_transpose3d"};
constexpr std::string_view kMaxPools[3] = {"max_pool1d", "max_pool2d", "max_pool3d"};
constexpr std::string_view kAvgPools[3] = {"avg_pool1d", "avg_pool2d", "avg_pool3d"};
constexpr std::string_view kAdaptivePools[3] = {"adaptive_avg_pool1d", "adaptive_avg_pool2d",
                                                "adaptive_avg_pool3d"};

}  // namespace

std::int16_t Width(GraphDraft* draft, ValueId x) {
  return draft->SizeAt("width_dim", x, draft->rank(x) - 1);
}

std::int16_t Channels(GraphDraft* draft, ValueId x) {
  return draft->SizeAt("concat_channels", x, 1);
}

std::int16_t ScaledSize(GraphDraft* draft, std::string_view name, std::int16_t size, int numerator,
                        int denominator) {
  const SizePair pair = draft->PairOf(size);
  return draft->Size(name, std::max<std::int64_t>(1, pair.large * numerator / denominator),
                     std::max<std::int64_t>(1, pair.small * numerator / denominator));
}

std::int16_t HalfOf(GraphDraft* draft, std::string_view name, std::int16_t size) {
  const SizePair pair = draft->PairOf(size);
  return draft->SizeNamed(name, pair.large / 2, pair.small / 2);
}

ValueId Activation(GraphDraft* d, ValueId x) {
  constexpr std::string_view kNames[] = {"relu",       "relu",  "relu", "relu",      "gelu",
                                         "silu",       "mish",  "tanh", "hardswish", "tanh",
                                         "leaky_relu", "relu6", "relu6", "sigmoid"};
  return d->Call(kNames[d->draw().Index(std::size(kNames))], {x});
}

ValueId Swish(GraphDraft* d, ValueId x) {
  if (d->draw().Chance(0.5)) return d->Call("silu", {x});
  return d->Call("mul", {x, d->Call("sigmoid", {x})});
}

ValueId ChannelNorm(GraphDraft* d, ValueId x) {
  const double kind = d->draw().Number();
  if (kind < 0.7) return d->Call("batch_norm", {x});
  if (kind < 0.85)
    return d->Call("group_norm", {x}, {{"num_groups", d->draw().Chance(0.5) ? 4 : 2}});
  return d->Call("instance_norm", {x}, {{"affine", true}});
}

ValueId LayerNorm(GraphDraft* d, ValueId x) {
  return d->Call("layer_norm", {x}, {d->Tuple("normalized_shape", {Extent::Of(Width(d, x))})});
}

ValueId Linear(GraphDraft* d, ValueId x, std::int16_t width, std::string_view member, bool bias) {
  return d->Bind(d->Call("linear", {x},
                         {DraftArgument::Size("out_features", width), {"bias", bias}}, member),
                 -1, width);
}

ValueId Convolution(GraphDraft* d, ValueId x, std::int16_t out_channels,
                    const ConvolutionSettings& settings) {
  const int padding = settings.dilation * (settings.kernel / 2);
  const std::initializer_list<DraftArgument> dense = {
      DraftArgument::Size("out_channels", out_channels),
      {"kernel_size", settings.kernel},
      {"stride", settings.stride},
      {"padding", padding},
      {"dilation", settings.dilation},
      {"bias", settings.bias}};
  if (!settings.depthwise) {
    return d->Bind(d->Call(OverSpace(*d, x, kConvolutions), {x}, dense, settings.member), 1,
                   out_channels);
  }
  const ValueId y = d->Call(OverSpace(*d, x, kConvolutions), {x},
                            {DraftArgument::Size("out_channels", out_channels),
                             {"kernel_size", settings.kernel},
                             {"stride", settings.stride},
                             {"padding", padding},
                             DraftArgument::Size("groups", Channels(d, x)),
                             {"bias", settings.bias}},
                            settings.member);
  return d->Bind(y, 1, out_channels);
}

ValueId Upsampling(GraphDraft* d, ValueId x, std::int16_t out_channels) {
  const bool overlaps = d->draw().Chance(0.5);
  const ValueId y = d->Call(OverSpace(*d, x, kTransposed), {x},
                            {DraftArgument::Size("out_channels", out_channels),
                             {"kernel_size", overlaps ? 4 : 2},
                             {"stride", 2},
                             {"padding", overlaps ? 1 : 0}});
  return d->Bind(y, 1, out_channels);
}

ValueId Downsampling(GraphDraft* d, ValueId x) {
  const bool largest = d->draw().Chance(0.7);
  return d->Call(OverSpace(*d, x, largest ? kMaxPools : kAvgPools), {x}, {{"kernel_size", 2}});
}

ValueId Flattened(GraphDraft* d, ValueId x) {
  const std::int16_t first = d->VariableAt(x, 0);
  const double kind = d->draw().Number();
  if (kind < 0.5 || first == kNoVariable) return d->Call("flatten", {x}, {{"start_dim", 1}});
  const bool view = kind < 0.85 && !d->LiesScattered(x);
  return d->Call(view ? "view" : "reshape", {x},
                 {d->Tuple(view ? "size" : "shape", {Extent::Of(first), {-1}})});
}

ValueId SpatialMean(GraphDraft* d, ValueId x, bool keep) {
  const int space = std::clamp(d->rank(x) - 2, 1, 3);
  if (d->draw().Chance(0.6)) {
    constexpr std::int64_t kOnes[] = {1, 1, 1};
    x = d->Call(OverSpace(*d, x, kAdaptivePools), {x},
                {{"output_size", Attribute::Integers(std::span(kOnes).first(space))}});
    return keep ? x : Flattened(d, x);
  }
  constexpr std::int64_t kSpace[] = {2, 3, 4};
  return d->Call("mean", {x},
                 {{"dim", Attribute::Integers(std::span(kSpace).first(space))}, {"keepdim", keep}});
}

}  // namespace kernelmill
