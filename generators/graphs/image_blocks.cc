#include "generators/graphs/image_blocks.h"

#include <tuple>

#include "generators/graphs/layers.h"

namespace kernelmill {
namespace {

ValueId ResidualBlock(GraphDraft* d, ValueId x) {
  const std::int16_t channels = Channels(d, x);
  const bool projects = d->draw().Chance(0.4);
  const int stride = projects && d->draw().Chance(0.6) ? 2 : 1;
  const std::int16_t out = projects ? ScaledSize(d, "out_channels", channels, 2) : channels;
  ValueId y = Convolution(d, x, out, {.stride = stride, .bias = false});
  y = d->Call("relu", {ChannelNorm(d, y)});
  y = ChannelNorm(d, Convolution(d, y, out, {.bias = false}));
  ValueId shortcut = x;
  if (projects) {
    shortcut = Convolution(d, x, out,
                           {.kernel = 1, .stride = stride, .bias = false, .member = "downsample"});
    d->Name(shortcut, "identity");
  }
  return d->Call("relu", {d->Call("add", {y, shortcut})});
}

ValueId BottleneckBlock(GraphDraft* d, ValueId x) {
  const std::int16_t channels = Channels(d, x);
  const std::int16_t inner = ScaledSize(d, "bottleneck_channels", channels, 1, 2);
  ValueId y = Convolution(d, x, inner, {.kernel = 1, .bias = false});
  y = d->Call("relu", {ChannelNorm(d, y)});
  y = d->Call("relu", {ChannelNorm(d, Convolution(d, y, inner, {.bias = false}))});
  y = ChannelNorm(d, Convolution(d, y, channels, {.kernel = 1, .bias = false}));
  return d->Call("relu", {d->Call("add", {y, x})});
}

ValueId SqueezeExcite(GraphDraft* d, ValueId x) {
  const std::int16_t channels = Channels(d, x);
  const std::int16_t squeezed = ScaledSize(d, "squeeze_channels", channels, 1, 4);
  ValueId gate = SpatialMean(d, x, /*keep=*/true);
  d->Name(gate, "scale");
  gate = Convolution(d, gate, squeezed, {.kernel = 1, .member = "reduce"});
  gate = d->draw().Chance(0.7) ? d->Call("relu", {gate}) : Swish(d, gate);
  gate = Convolution(d, gate, channels, {.kernel = 1, .member = "expand"});
  gate = d->Call(d->draw().Chance(0.7) ? "sigmoid" : "hardsigmoid", {gate});
  return d->Call("mul", {x, gate});
}

ValueId InvertedResidualBlock(GraphDraft* d, ValueId x) {
  constexpr std::string_view kActivations[] = {"relu6", "hardswish", "silu"};
  const std::string_view activation = kActivations[d->draw().Index(3)];
  const std::int16_t channels = Channels(d, x);
  const int factor = static_cast<int>(d->draw().Integer(2, 6));
  const std::int16_t hidden = ScaledSize(d, "hidden_dim", channels, factor);
  ValueId y = Convolution(d, x, hidden, {.kernel = 1, .bias = false});
  y = d->Call(activation, {d->Call("batch_norm", {y})});
  const int kernel = d->draw().Chance(0.6) ? 3 : 5;
  y = Convolution(d, y, hidden, {.kernel = kernel, .bias = false, .depthwise = true});
  y = d->Call(activation, {d->Call("batch_norm", {y})});
  if (d->draw().Chance(0.4)) y = SqueezeExcite(d, y);
  y = d->Call("batch_norm", {Convolution(d, y, channels, {.kernel = 1, .bias = false})});
  return d->Call("add", {x, y});
}

// Parallel branches with several kernel sizes.
ValueId InceptionBlock(GraphDraft* d, ValueId x) {
  const std::int16_t part = ScaledSize(d, "branch_channels", Channels(d, x), 1, 2);
  const ValueId first = Convolution(d, x, part, {.kernel = 1, .member = "branch1x1"});
  d->Name(first, "branch1");
  ValueId second = Convolution(d, x, part, {.kernel = 1, .member = "branch3x3_reduce"});
  d->Name(second, "branch2");
  second = Convolution(d, second, part, {.kernel = 3, .member = "branch3x3"});
  d->Name(second, "branch2");
  const ValueId third = Convolution(d, x, part, {.kernel = 5, .member = "branch5x5"});
  d->Name(third, "branch3");
  return d->Call("cat", {first, second, third}, {{"dim", 1}});
}

// Each layer reads the outputs of all earlier layers.
ValueId DenseBlock(GraphDraft* d, ValueId x) {
  const std::int16_t growth = ScaledSize(d, "growth_rate", Channels(d, x), 1, 2);
  for (std::int64_t i = d->draw().Integer(1, 3); i > 0 && !d->failed(); --i) {
    ValueId y = d->Call("relu", {d->Call("batch_norm", {x})});
    d->Name(y, "new_features");
    y = Convolution(d, y, growth, {.bias = false});
    d->Name(y, "new_features");
    x = d->Call("cat", {x, y}, {{"dim", 1}});
  }
  return x;
}

ValueId FireBlock(GraphDraft* d, ValueId x) {
  const std::int16_t squeezed = ScaledSize(d, "squeeze_channels", Channels(d, x), 1, 2);
  const std::int16_t expanded = ScaledSize(d, "expand_channels", Channels(d, x), 1);
  x = d->Call("relu", {Convolution(d, x, squeezed, {.kernel = 1, .member = "squeeze"})});
  const ValueId one =
      d->Call("relu", {Convolution(d, x, expanded, {.kernel = 1, .member = "expand1x1"})});
  const ValueId three =
      d->Call("relu", {Convolution(d, x, expanded, {.kernel = 3, .member = "expand3x3"})});
  return d->Call("cat", {one, three}, {{"dim", 1}});
}

// A depthwise convolution, then an MLP over the channels, which are permuted to the last dimension
// for it.
ValueId ConvNextBlock(GraphDraft* d, ValueId x) {
  if (d->rank(x) != 4) return ResidualBlock(d, x);
  const std::int16_t channels = Channels(d, x);
  ValueId y = Convolution(d, x, channels, {.kernel = 7, .depthwise = true, .member = "dwconv"});
  y = d->Call("permute", {y}, {d->Tuple("dims", {{0}, {2}, {3}, {1}})});
  y = LayerNorm(d, y);
  y = Linear(d, y, ScaledSize(d, "hidden_dim", channels, 4), "pwconv1");
  y = Linear(d, d->Call("gelu", {y}), channels, "pwconv2");
  if (d->draw().Chance(0.5)) {
    const ValueId gamma = d->Parameter("gamma", d->dtype(x), {Extent::Of(channels)});
    y = d->Call("mul", {gamma, y});
  }
  y = d->Call("permute", {y}, {d->Tuple("dims", {{0}, {3}, {1}, {2}})});
  return d->Call("add", {x, y});
}

// The gated residual layers of audio networks (WaveNet).
ValueId GatedBlock(GraphDraft* d, ValueId x) {
  const std::int16_t channels = Channels(d, x);
  const int dilation = 1 << d->draw().Integer(0, 2);
  const ValueId filter =
      Convolution(d, x, channels, {.kernel = 3, .dilation = dilation, .member = "filter_conv"});
  d->Name(filter, "filtered");
  const ValueId gate =
      Convolution(d, x, channels, {.kernel = 3, .dilation = dilation, .member = "gate_conv"});
  d->Name(gate, "gate");
  const ValueId y = d->Call("mul", {d->Call("tanh", {filter}), d->Call("sigmoid", {gate})});
  return d->Call("add", {x, Convolution(d, y, channels, {.kernel = 1, .member = "residual_conv"})});
}

// A depthwise convolution, then a pointwise one.
ValueId SeparableBlock(GraphDraft* d, ValueId x) {
  const std::int16_t channels = Channels(d, x);
  x = Convolution(d, x, channels, {.bias = false, .depthwise = true, .member = "depthwise"});
  x = Activation(d, ChannelNorm(d, x));
  const std::int16_t out = ScaledSize(d, "out_channels", channels, d->draw().Chance(0.5) ? 2 : 1);
  x = Convolution(d, x, out, {.kernel = 1, .bias = false, .member = "pointwise"});
  return Activation(d, ChannelNorm(d, x));
}

// One half of the channels is processed, the other passes through unchanged.
ValueId PartialBlock(GraphDraft* d, ValueId x) {
  const std::int16_t half = HalfOf(d, "half_channels", Channels(d, x));
  ValueId first, second;
  if (d->draw().Chance(0.4)) {
    first = d->Call("chunk", {x}, {{"chunks", 2}, {"dim", 1}});
    second = first == kAbsent ? kAbsent : first + 1;
  } else {
    std::tie(first, second) = d->CutAt(x, 1, half);
  }
  d->Name(first, "x1");
  d->Name(second, "x2");
  first = Activation(d, ChannelNorm(d, Convolution(d, first, half, {.bias = false})));
  return d->Call("cat", {first, second}, {{"dim", 1}});
}

}  // namespace

ValueId ConvolutionBlock(GraphDraft* d, ValueId x, std::int16_t out_channels) {
  const int kernel = d->draw().Chance(0.75) ? 3 : d->draw().Chance(0.5) ? 5 : 1;
  const bool norm = d->draw().Chance(0.7);
  const int stride = d->draw().Chance(0.25) ? 2 : 1;
  x = Convolution(d, x, out_channels, {.kernel = kernel, .stride = stride, .bias = !norm});
  if (norm) x = ChannelNorm(d, x);
  x = Activation(d, x);
  return d->draw().Chance(0.25) ? Downsampling(d, x) : x;
}

ValueId HourglassBlock(GraphDraft* d, ValueId x) {
  const std::int16_t channels = Channels(d, x);
  ValueId y = Convolution(d, Downsampling(d, x), channels, {.kernel = 3, .member = "down"});
  d->Name(y, "inner");
  y = Activation(d, y);
  y = Activation(d, Upsampling(d, y, channels));
  const bool joins = d->draw().Chance(0.6);
  y = joins ? d->Call("cat", {y, x}, {{"dim", 1}}) : d->Call("add", {y, x});
  return ConvolutionBlock(d, y, channels);
}

ValueId ImageBlock(GraphDraft* d, ValueId x) {
  switch (d->draw().Index(13)) {
    case 0:
      return ResidualBlock(d, x);
    case 1:
      return BottleneckBlock(d, x);
    case 2:
      return InvertedResidualBlock(d, x);
    case 3:
      return SqueezeExcite(d, x);
    case 4:
      return InceptionBlock(d, x);
    case 5:
      return DenseBlock(d, x);
    case 6:
      return FireBlock(d, x);
    case 7:
      return ConvNextBlock(d, x);
    case 8:
      return GatedBlock(d, x);
    case 9:
      return SeparableBlock(d, x);
    case 10:
      return Activation(d, ChannelNorm(d, Upsampling(d, x, Channels(d, x))));
    case 11:
      return PartialBlock(d, x);
    default:
      return ConvolutionBlock(d, x, Channels(d, x));
  }
}

}  // namespace kernelmill
