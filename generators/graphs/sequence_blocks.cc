#include "generators/graphs/sequence_blocks.h"

#include "generators/graphs/layers.h"

namespace kernelmill {
namespace {

ValueId MlpBlock(GraphDraft* d, ValueId x) {
  const std::int16_t width = Width(d, x);
  const int factor = static_cast<int>(d->draw().Integer(2, 4));
  const std::int16_t inner = ScaledSize(d, "mlp_dim", width, factor);
  const bool normed = d->draw().Chance(0.6);
  const bool residual = d->draw().Chance(0.6);
  ValueId y = normed ? LayerNorm(d, x) : x;
  y = Linear(d, Activation(d, Linear(d, y, inner, "fc1")), width, "fc2");
  return residual ? d->Call("add", {x, y}) : y;
}

ValueId GatedMlpBlock(GraphDraft* d, ValueId x) {
  const std::int16_t width = Width(d, x);
  const std::int16_t inner = ScaledSize(d, "intermediate_size", width, 2);
  ValueId gate = Linear(d, x, inner, "gate_proj", false);
  d->Name(gate, "gate");
  gate = d->draw().Chance(0.7) ? Swish(d, gate) : d->Call("gelu", {gate});
  const ValueId up = Linear(d, x, inner, "up_proj", false);
  d->Name(up, "up");
  return Linear(d, d->Call("mul", {gate, up}), width, "down_proj", false);
}

// x / sqrt(mean(x²)) from single operators, as many models write it.
ValueId RmsNorm(GraphDraft* d, ValueId x) {
  const std::int16_t width = Width(d, x);
  if (d->draw().Chance(0.4)) {
    return d->Call("rms_norm", {x}, {d->Tuple("normalized_shape", {Extent::Of(width)})});
  }
  ValueId variance = d->Call("pow_scalar", {x}, {{"exponent", 2}});
  variance = d->Call("mean", {variance}, {d->Tuple("dim", {{-1}}), {"keepdim", true}});
  d->Name(variance, "variance");
  ValueId y = d->Call("add_scalar", {variance}, {{"other", 1e-6}});
  y = d->Call("mul", {x, d->Call("rsqrt", {y})});
  d->Name(y, "normed");
  const ValueId weight = d->Parameter("weight", d->dtype(x), {Extent::Of(width)});
  return d->Call("mul", {weight, y});
}

// An MLP over positions: width and length are transposed for it.
ValueId MixerBlock(GraphDraft* d, ValueId x) {
  const std::int16_t length = d->VariableAt(x, 1);
  ValueId y = d->Call("transpose", {LayerNorm(d, x)}, {{"dim0", 1}, {"dim1", 2}});
  y = Linear(d, y, ScaledSize(d, "tokens_mlp_dim", length, 2), "token_fc1");
  y = Linear(d, d->Call("gelu", {y}), length, "token_fc2");
  return d->Call("add", {x, d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}})});
}

}  // namespace

ValueId EncoderLayer(GraphDraft* d, ValueId x, int heads, const MaskedPositions* mask) {
  const bool before = d->draw().Chance(0.6);
  ValueId y = AttentionBlock(d, before ? LayerNorm(d, x) : x, heads, mask);
  x = d->Call("add", {x, y});
  if (!before) x = LayerNorm(d, x);
  const std::int16_t width = Width(d, x);
  const std::int16_t inner = ScaledSize(d, "mlp_dim", width, 4);
  y = Linear(d, before ? LayerNorm(d, x) : x, inner, "fc1");
  y = Linear(d, d->Call(d->draw().Chance(0.7) ? "gelu" : "relu", {y}), width, "fc2");
  x = d->Call("add", {x, y});
  return before ? x : LayerNorm(d, x);
}

ValueId RecurrentBlock(GraphDraft* d, ValueId x) {
  constexpr std::string_view kLayers[] = {"lstm", "gru", "gru", "rnn_tanh", "lstm"};
  const std::int16_t hidden =
      d->Size("rnn_hidden_size", 64 * d->draw().Integer(1, 8), 4 * d->draw().Integer(1, 5));
  const int layers = d->draw().Chance(0.7) ? 1 : 2;
  const bool both = d->draw().Chance(0.2);
  return d->Call(kLayers[d->draw().Index(std::size(kLayers))], {x},
                 {DraftArgument::Size("hidden_size", hidden),
                  {"num_layers", layers},
                  {"bidirectional", both},
                  {"batch_first", true}});
}

ValueId SequenceBlock(GraphDraft* d, ValueId x, int heads) {
  switch (d->draw().Index(10)) {
    case 0:
      return MlpBlock(d, x);
    case 1:
      return GatedMlpBlock(d, x);
    case 2:
    case 3:
      return AttentionBlock(d, x, heads);
    case 4:
      return SingleHeadBlock(d, x);
    case 5:
      return LinearAttentionBlock(d, x);
    case 6:
      return MixerBlock(d, x);
    case 7:
      return d->Call("add", {x, GatedMlpBlock(d, RmsNorm(d, x))});
    case 8:
      return RmsNorm(d, x);
    default:
      return EncoderLayer(d, x, heads);
  }
}

}  // namespace kernelmill
