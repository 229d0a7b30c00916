#include "generators/graphs/blocks.h"

#include <cmath>

#include "corpora/operators/operator_table.h"

namespace kernelmill {
namespace {

// Over channels, where the table has one that normalises so.
ValueId ChannelNorm(GraphDraft* d, ValueId x) {
  if (d->draw().Chance(0.7)) return d->Call("batch_norm", {x});
  return d->Call("group_norm", {x}, {{"num_groups", 2}});
}

ValueId LayerNorm(GraphDraft* d, ValueId x) {
  const Extent width = Extent::Of(d->VariableAt(x, d->rank(x) - 1));
  return d->Call("layer_norm", {x}, {d->Tuple("normalized_shape", {width})});
}

ValueId Convolution(GraphDraft* d, ValueId x, std::int16_t out_channels, int kernel, int stride,
                    bool bias) {
  return d->Call("conv2d", {x},
                 {DraftArgument::Size("out_channels", out_channels),
                  {"kernel_size", kernel},
                  {"stride", stride},
                  {"padding", kernel / 2},
                  {"bias", bias}});
}

// One group a channel.
ValueId Depthwise(GraphDraft* d, ValueId x, std::int16_t channels, int kernel) {
  return d->Call("conv2d", {x},
                 {DraftArgument::Size("out_channels", channels),
                  {"kernel_size", kernel},
                  {"padding", kernel / 2},
                  DraftArgument::Size("groups", channels),
                  {"bias", false}});
}

ValueId Linear(GraphDraft* d, ValueId x, std::int16_t width, std::string_view member = {},
               bool bias = true) {
  return d->Call("linear", {x}, {DraftArgument::Size("out_features", width), {"bias", bias}},
                 member);
}

std::int16_t Width(GraphDraft* d, ValueId x) { return d->VariableAt(x, d->rank(x) - 1); }

// `numerator` / `denominator` times a size.
std::int16_t Scaled(GraphDraft* d, std::string_view name, std::int16_t size, int numerator,
                    int denominator = 1) {
  const SizePair pair = d->PairOf(size);
  return d->Size(name, std::max<std::int64_t>(1, pair.large * numerator / denominator),
                 std::max<std::int64_t>(1, pair.small * numerator / denominator));
}

}  // namespace

ValueId Activation(GraphDraft* d, ValueId x) {
  constexpr std::string_view kNames[] = {"relu", "relu", "relu",      "gelu", "silu",
                                         "mish", "tanh", "hardswish", "elu",  "leaky_relu"};
  return d->Call(kNames[d->draw().Index(std::size(kNames))], {x});
}

ValueId ConvolutionBlock(GraphDraft* d, ValueId x, std::int16_t out_channels) {
  const int kernel = d->draw().Chance(0.75) ? 3 : d->draw().Chance(0.5) ? 5 : 1;
  const bool norm = d->draw().Chance(0.7);
  x = Convolution(d, x, out_channels, kernel, d->draw().Chance(0.25) ? 2 : 1, !norm);
  if (norm) x = ChannelNorm(d, x);
  return Activation(d, x);
}

ValueId ResidualBlock(GraphDraft* d, ValueId x) {
  const std::int16_t channels = d->VariableAt(x, 1);
  const bool projects = d->draw().Chance(0.4);
  const int stride = projects && d->draw().Chance(0.6) ? 2 : 1;
  const std::int16_t out = projects ? Scaled(d, "out_channels", channels, 2) : channels;
  ValueId y = Convolution(d, x, out, 3, stride, false);
  y = d->Call("relu", {ChannelNorm(d, y)});
  y = ChannelNorm(d, Convolution(d, y, out, 3, 1, false));
  ValueId shortcut = x;
  if (projects) {
    shortcut = d->Call("conv2d", {x},
                       {DraftArgument::Size("out_channels", out),
                        {"kernel_size", 1},
                        {"stride", stride},
                        {"bias", false}},
                       "downsample");
    d->Name(shortcut, "identity");
  }
  return d->Call("relu", {d->Call("add", {y, shortcut})});
}

ValueId BottleneckBlock(GraphDraft* d, ValueId x) {
  const std::int16_t channels = d->VariableAt(x, 1);
  const std::int16_t inner = Scaled(d, "bottleneck_channels", channels, 1, 2);
  ValueId y = d->Call("relu", {ChannelNorm(d, Convolution(d, x, inner, 1, 1, false))});
  y = d->Call("relu", {ChannelNorm(d, Convolution(d, y, inner, 3, 1, false))});
  y = ChannelNorm(d, Convolution(d, y, channels, 1, 1, false));
  return d->Call("relu", {d->Call("add", {y, x})});
}

ValueId SqueezeExcite(GraphDraft* d, ValueId x) {
  const std::int16_t channels = d->VariableAt(x, 1);
  const std::int16_t squeezed = Scaled(d, "squeeze_channels", channels, 1, 4);
  ValueId gate = d->Call("mean", {x}, {d->Tuple("dim", {{2}, {3}}), {"keepdim", true}});
  d->Name(gate, "scale");
  gate = d->Call("conv2d", {gate},
                 {DraftArgument::Size("out_channels", squeezed), {"kernel_size", 1}}, "reduce");
  gate = d->Call("relu", {gate});
  gate = d->Call("conv2d", {gate},
                 {DraftArgument::Size("out_channels", channels), {"kernel_size", 1}}, "expand");
  gate = d->Call(d->draw().Chance(0.7) ? "sigmoid" : "hardsigmoid", {gate});
  return d->Call("mul", {x, gate});
}

ValueId InvertedResidualBlock(GraphDraft* d, ValueId x) {
  constexpr std::string_view kActivations[] = {"relu6", "hardswish", "silu"};
  const std::string_view activation = kActivations[d->draw().Index(3)];
  const std::int16_t channels = d->VariableAt(x, 1);
  const std::int16_t hidden =
      Scaled(d, "hidden_dim", channels, static_cast<int>(d->draw().Integer(2, 6)));
  ValueId y =
      d->Call(activation, {d->Call("batch_norm", {Convolution(d, x, hidden, 1, 1, false)})});
  const int kernel = d->draw().Chance(0.6) ? 3 : 5;
  y = d->Call(activation, {d->Call("batch_norm", {Depthwise(d, y, hidden, kernel)})});
  if (d->draw().Chance(0.4)) y = SqueezeExcite(d, y);
  y = d->Call("batch_norm", {Convolution(d, y, channels, 1, 1, false)});
  return d->Call("add", {x, y});
}

ValueId MlpBlock(GraphDraft* d, ValueId x) {
  const std::int16_t width = Width(d, x);
  const std::int16_t inner = Scaled(d, "mlp_dim", width, static_cast<int>(d->draw().Integer(2, 4)));
  const bool normed = d->draw().Chance(0.6);
  const bool residual = d->draw().Chance(0.6);
  ValueId y = normed ? LayerNorm(d, x) : x;
  y = Linear(d, Activation(d, Linear(d, y, inner, "fc1")), width, "fc2");
  return residual ? d->Call("add", {x, y}) : y;
}

ValueId GatedMlpBlock(GraphDraft* d, ValueId x) {
  const std::int16_t width = Width(d, x);
  const std::int16_t inner = Scaled(d, "intermediate_size", width, 2);
  ValueId gate = Linear(d, x, inner, "gate_proj", false);
  d->Name(gate, "gate");
  gate = d->Call(d->draw().Chance(0.7) ? "silu" : "gelu", {gate});
  const ValueId up = Linear(d, x, inner, "up_proj", false);
  d->Name(up, "up");
  return Linear(d, d->Call("mul", {gate, up}), width, "down_proj", false);
}

ValueId AttentionBlock(GraphDraft* d, ValueId x, int heads) {
  if (x == kAbsent) return x;
  const std::int16_t batch = d->VariableAt(x, 0), length = d->VariableAt(x, 1);
  const std::int16_t width = Width(d, x);
  const std::int16_t head = Scaled(d, "head_dim", width, 1, heads);
  const bool bias = d->draw().Chance(0.7);
  const auto project = [&](std::string_view name, std::string_view member) {
    ValueId y = Linear(d, x, width, member, bias);
    d->Name(y, name);
    y = d->Call(
        "reshape", {y},
        {d->Tuple("shape", {Extent::Of(batch), Extent::Of(length), {heads}, Extent::Of(head)})});
    d->Name(y, name);
    y = d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}});
    d->Name(y, name);
    return y;
  };
  const ValueId q = project("q", "q_proj");
  const ValueId k = project("k", "k_proj");
  const ValueId v = project("v", "v_proj");
  ValueId y;
  if (d->draw().Chance(0.5) && FindOperator("scaled_dot_product_attention") != nullptr) {
    y = d->Call("scaled_dot_product_attention", {q, k, v});
  } else {
    ValueId scores =
        d->Call("matmul", {q, d->Call("transpose", {k}, {{"dim0", -2}, {"dim1", -1}})});
    d->Name(scores, "scores");
    // 1 / sqrt(head_dim).
    if (FindOperator("mul_scalar") != nullptr) {
      const double size = std::sqrt(double(d->PairOf(head).large));
      scores = d->Call("mul_scalar", {scores}, {{"other", std::round(1e4 / size) / 1e4}});
    }
    const ValueId weights = d->Call("softmax", {scores}, {{"dim", -1}});
    d->Name(weights, "attn");
    y = d->Call("matmul", {weights, v});
  }
  d->Name(y, "out");
  y = d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}});
  y = d->Call("reshape", {y},
              {d->Tuple("shape", {Extent::Of(batch), Extent::Of(length), Extent::Of(width)})});
  return Linear(d, y, width, "out_proj", bias);
}

ValueId EncoderLayer(GraphDraft* d, ValueId x, int heads) {
  const bool before = d->draw().Chance(0.6);
  ValueId y = AttentionBlock(d, before ? LayerNorm(d, x) : x, heads);
  x = d->Call("add", {x, y});
  if (!before) x = LayerNorm(d, x);
  const std::int16_t inner = Scaled(d, "mlp_dim", Width(d, x), 4);
  y = before ? LayerNorm(d, x) : x;
  const std::int16_t width = Width(d, x);
  y = Linear(d, d->Call(d->draw().Chance(0.7) ? "gelu" : "relu", {Linear(d, y, inner, "fc1")}),
             width, "fc2");
  x = d->Call("add", {x, y});
  return before ? x : LayerNorm(d, x);
}

}  // namespace kernelmill
