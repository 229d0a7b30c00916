#include "generators/graphs/sequence_blocks.h"

#include <cmath>

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
  gate = d->Call(d->draw().Chance(0.7) ? "silu" : "gelu", {gate});
  const ValueId up = Linear(d, x, inner, "up_proj", false);
  d->Name(up, "up");
  return Linear(d, d->Call("mul", {gate, up}), width, "down_proj", false);
}

// x / sqrt(mean(x²)) by hand, as many models write it.
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

struct Heads {
  Extent batch, length, head;
  int count;
  bool view;  // Rather than reshape.
};

// (batch, heads, length, head size).
ValueId SplitHeads(GraphDraft* d, ValueId x, const Heads& heads, std::string_view name) {
  const bool view = heads.view;
  ValueId y = d->Call(
      view ? "view" : "reshape", {x},
      {d->Tuple(view ? "size" : "shape", {heads.batch, heads.length, {heads.count}, heads.head})});
  d->Name(y, name);
  y = d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}});
  d->Name(y, name);
  return y;
}

ValueId Weights(GraphDraft* d, ValueId q, ValueId k, std::int64_t head) {
  const ValueId turned = d->Call("transpose", {k}, {{"dim0", -2}, {"dim1", -1}});
  ValueId scores = d->Call("matmul", {q, turned});
  d->Name(scores, "scores");
  const double root = std::sqrt(double(head));
  scores = d->draw().Chance(0.5)
               ? d->Call("mul_scalar", {scores}, {{"other", std::round(1e4 / root) / 1e4}})
               : d->Call("div_scalar", {scores}, {{"other", std::round(1e2 * root) / 1e2}});
  const ValueId weights = d->Call("softmax", {scores}, {{"dim", -1}});
  d->Name(weights, "attn");
  return weights;
}

ValueId AttentionBlock(GraphDraft* d, ValueId x, int heads) {
  const std::int16_t width = Width(d, x);
  const Heads split{Extent::Of(d->VariableAt(x, 0)), Extent::Of(d->VariableAt(x, 1)),
                    Extent::Of(ScaledSize(d, "head_dim", width, 1, heads)), heads,
                    d->draw().Chance(0.6)};
  const bool bias = d->draw().Chance(0.7);
  const auto project = [&](std::string_view name, std::string_view member) {
    const ValueId y = Linear(d, x, width, member, bias);
    d->Name(y, name);
    return SplitHeads(d, y, split, name);
  };
  const ValueId q = project("q", "q_proj");
  const ValueId k = project("k", "k_proj");
  const ValueId v = project("v", "v_proj");
  ValueId y;
  if (d->draw().Chance(0.5)) {
    y = d->Call("scaled_dot_product_attention", {q, k, v}, {{"is_causal", d->draw().Chance(0.4)}});
  } else {
    y = d->Call("matmul", {Weights(d, q, k, d->PairOf(split.head.variable).large), v});
  }
  d->Name(y, "out");
  y = d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}});
  y = d->Call("reshape", {y}, {d->Tuple("shape", {split.batch, split.length, Extent::Of(width)})});
  return Linear(d, y, width, "out_proj", bias);
}

// One head over the whole width, without splitting.
ValueId SingleHeadBlock(GraphDraft* d, ValueId x) {
  const std::int16_t width = Width(d, x);
  const auto project = [&](std::string_view name, std::string_view member) {
    const ValueId y = Linear(d, x, width, member);
    d->Name(y, name);
    return y;
  };
  const ValueId q = project("query", "to_query");
  const ValueId k = project("key", "to_key");
  const ValueId v = project("value", "to_value");
  return d->Call("matmul", {Weights(d, q, k, d->PairOf(width).large), v});
}

// Linear in the length: the keys meet the values first.
ValueId LinearAttentionBlock(GraphDraft* d, ValueId x) {
  const std::int16_t width = Width(d, x);
  const auto feature = [&](std::string_view name, std::string_view member) {
    ValueId y = Linear(d, x, width, member);
    d->Name(y, name);
    y = d->Call("add_scalar", {d->Call("elu", {y})}, {{"other", 1.0}});
    d->Name(y, name);
    return y;
  };
  const ValueId q = feature("q", "q_proj");
  const ValueId k = feature("k", "k_proj");
  const ValueId v = Linear(d, x, width, "v_proj");
  d->Name(v, "v");
  const ValueId kv = d->Call("matmul", {d->Call("transpose", {k}, {{"dim0", 1}, {"dim1", 2}}), v});
  d->Name(kv, "kv");
  ValueId total = d->Call("sum", {k}, {d->Tuple("dim", {{1}}), {"keepdim", true}});
  total =
      d->Call("sum", {d->Call("mul", {q, total})}, {d->Tuple("dim", {{-1}}), {"keepdim", true}});
  d->Name(total, "normalizer");
  return d->Call("div", {d->Call("matmul", {q, kv}), total});
}

// An MLP over positions: width and length change places for it.
ValueId MixerBlock(GraphDraft* d, ValueId x) {
  const std::int16_t length = d->VariableAt(x, 1);
  ValueId y = d->Call("transpose", {LayerNorm(d, x)}, {{"dim0", 1}, {"dim1", 2}});
  y = Linear(d, y, ScaledSize(d, "tokens_mlp_dim", length, 2), "token_fc1");
  y = Linear(d, d->Call("gelu", {y}), length, "token_fc2");
  return d->Call("add", {x, d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}})});
}

}  // namespace

ValueId EncoderLayer(GraphDraft* d, ValueId x, int heads) {
  const bool before = d->draw().Chance(0.6);
  ValueId y = AttentionBlock(d, before ? LayerNorm(d, x) : x, heads);
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
