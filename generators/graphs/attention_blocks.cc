#include "generators/graphs/attention_blocks.h"

#include <algorithm>
#include <cmath>

#include "corpora/operators/operator_table.h"
#include "generators/graphs/layers.h"

namespace kernelmill {
namespace {

struct Heads {
  Extent batch, length, head;
  int count;
  bool view;      // Use view instead of reshape.
  bool permutes;  // Use permute instead of transpose.
};

// Reshapes to (batch, heads, length, head size).
ValueId SplitHeads(GraphDraft* d, ValueId x, const Heads& heads, std::string_view name) {
  const bool view = heads.view && !d->LiesScattered(x);
  ValueId y = d->Call(
      view ? "view" : "reshape", {x},
      {d->Tuple(view ? "size" : "shape", {heads.batch, heads.length, {heads.count}, heads.head})});
  d->Name(y, name);
  y = heads.permutes ? d->Call("permute", {y}, {d->Tuple("dims", {{0}, {2}, {1}, {3}})})
                     : d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}});
  d->Name(y, name);
  return y;
}

// Reshapes back to (batch, length, width).
ValueId JoinHeads(GraphDraft* d, ValueId y, const Heads& heads, std::int16_t width) {
  y = heads.permutes ? d->Call("permute", {y}, {d->Tuple("dims", {{0}, {2}, {1}, {3}})})
                     : d->Call("transpose", {y}, {{"dim0", 1}, {"dim1", 2}});
  if (heads.view) y = d->Call("contiguous", {y});
  return d->Call(heads.view ? "view" : "reshape", {y},
                 {d->Tuple(heads.view ? "size" : "shape",
                           {heads.batch, heads.length, Extent::Of(width)})});
}

struct Projections {
  ValueId query, key, value;
};

void NameAll(GraphDraft* d, const Projections& projections) {
  d->Name(projections.query, "q");
  d->Name(projections.key, "k");
  d->Name(projections.value, "v");
}

// One linear layer for query, key and value, whose result is split.
Projections CutProjections(GraphDraft* d, ValueId x, const Heads& heads, bool bias) {
  const std::int16_t width = Width(d, x);
  ValueId all = Linear(d, x, ScaledSize(d, "qkv_dim", width, 3), "qkv", bias);
  d->Name(all, "qkv");
  Projections cut;
  if (d->draw().Chance(0.4)) {
    // (3, batch, heads, length, head size), split along the first dimension.
    all = d->Call("reshape", {all},
                  {d->Tuple("shape", {heads.batch, heads.length, {3}, {heads.count}, heads.head})});
    all = d->Call("permute", {all}, {d->Tuple("dims", {{2}, {0}, {3}, {1}, {4}})});
    d->Name(all, "qkv");
    const auto part = [&](int i) { return d->Call("select", {all}, {{"dim", 0}, {"index", i}}); };
    cut.query = part(0);
    cut.key = part(1);
    cut.value = part(2);
    NameAll(d, cut);
    return cut;
  }
  const ValueId first =
      d->draw().Chance(0.6)
          ? d->Call("split", {all}, {DraftArgument::Size("split_size", width), {"dim", -1}})
          : d->Call("chunk", {all}, {{"chunks", 3}, {"dim", -1}});
  if (first == kAbsent) return {kAbsent, kAbsent, kAbsent};
  cut = {first, first + 1, first + 2};
  NameAll(d, cut);
  return {SplitHeads(d, cut.query, heads, "q"), SplitHeads(d, cut.key, heads, "k"),
          SplitHeads(d, cut.value, heads, "v")};
}

Projections SeparateProjections(GraphDraft* d, ValueId x, const Heads& heads, bool bias) {
  const std::int16_t width = Width(d, x);
  const auto project = [&](std::string_view name, std::string_view member) {
    const ValueId y = Linear(d, x, width, member, bias);
    d->Name(y, name);
    return SplitHeads(d, y, heads, name);
  };
  Projections projections;
  projections.query = project("q", "q_proj");
  projections.key = project("k", "k_proj");
  projections.value = project("v", "v_proj");
  return projections;
}

// Rotary position embedding of the pairs (x[i], x[i + half]): RoFormer, Su et al. 2021.
ValueId Rotated(GraphDraft* d, ValueId x, ValueId cosine, ValueId sine, std::int16_t half) {
  const auto [first, second] = d->CutAt(x, -1, half);
  d->Name(first, "x1");
  d->Name(second, "x2");
  const ValueId turned = d->Call("cat", {d->Call("neg", {second}), first}, {{"dim", -1}});
  d->Name(turned, "rotated");
  return d->Call("add", {d->Call("mul", {x, cosine}), d->Call("mul", {turned, sine})});
}

void Rotate(GraphDraft* d, const Heads& heads, Projections* projections) {
  const std::array sizes{heads.length.variable, heads.head.variable};
  if (sizes[0] == kNoVariable || sizes[1] == kNoVariable) return;
  const DType dtype = d->dtype(projections->query);
  const ValueId cosine = d->Input("cos", dtype, sizes, Range::Uniform(0, 1));
  const ValueId sine = d->Input("sin", dtype, sizes, Range::Uniform(0, 1));
  const std::int16_t half = HalfOf(d, "half_dim", sizes[1]);
  projections->query = Rotated(d, projections->query, cosine, sine, half);
  d->Name(projections->query, "q");
  projections->key = Rotated(d, projections->key, cosine, sine, half);
  d->Name(projections->key, "k");
}

ValueId Masked(GraphDraft* d, ValueId scores, const MaskedPositions& mask) {
  if (mask.value == kAbsent) return scores;
  // Finite, and next to nothing after softmax.
  const double least = d->dtype(scores) == DType::kFloat16 ? -1e4 : -1e9;
  if (mask.kind == AttentionMask::kGiven) {
    return d->Call("where_scalar", {mask.value, scores}, {{"other", least}});
  }
  return d->Call("masked_fill", {scores, mask.value}, {{"value", least}});
}

ValueId Einsum(GraphDraft* d, std::string_view equation, ValueId first, ValueId second) {
  const std::span<const std::string_view> known = FindOperator("einsum")->attributes[0].choices;
  const auto at = std::find(known.begin(), known.end(), equation) - known.begin();
  return d->Call("einsum", {first, second},
                 {{"equation", Attribute::Choice(static_cast<int>(at))}});
}

ValueId Weights(GraphDraft* d, ValueId q, ValueId k, std::int64_t head,
                const MaskedPositions& mask = {}, bool einsum = false) {
  ValueId scores =
      einsum ? Einsum(d, "bhqd,bhkd->bhqk", q, k)
             : d->Call("matmul", {q, d->Call("transpose", {k}, {{"dim0", -2}, {"dim1", -1}})});
  d->Name(scores, "scores");
  const double root = std::sqrt(double(head));
  scores = d->draw().Chance(0.5)
               ? d->Call("mul_scalar", {scores}, {{"other", std::round(1e4 / root) / 1e4}})
               : d->Call("div_scalar", {scores}, {{"other", std::round(1e2 * root) / 1e2}});
  scores = Masked(d, scores, mask);
  const ValueId weights = d->Call("softmax", {scores}, {{"dim", -1}});
  d->Name(weights, "attn");
  return weights;
}

// A mask that is true at (i, j) when position j comes after position i.
ValueId CausalMaskByTril(GraphDraft* d, std::int16_t length) {
  const Extent size = Extent::Of(length);
  const ValueId seen = d->Call("tril", {d->Call("ones", {}, {d->Tuple("size", {size, size})})});
  return d->Call("eq_scalar", {seen}, {{"other", 0}});
}

ValueId CausalMaskByPositions(GraphDraft* d, std::int16_t length) {
  const ValueId positions = d->Call("arange", {}, {DraftArgument::Size("end", length)});
  d->Name(positions, "positions");
  return d->Call("gt", {d->Call("unsqueeze", {positions}, {{"dim", 0}}),
                        d->Call("unsqueeze", {positions}, {{"dim", 1}})});
}

// Reduces the number of heads until the head size differs from the length and the batch of x. A
// size that equals another one at both sizes would be written as that one.
int DistinguishableHeads(GraphDraft* d, ValueId x, std::int16_t width, int heads) {
  if (d->failed()) return heads;
  const SizePair whole = d->PairOf(width);
  const auto is_taken = [&](int dimension) {
    return d->large().value(x).type.shape[dimension] * heads == whole.large &&
           d->small().value(x).type.shape[dimension] * heads == whole.small;
  };
  while (heads > 1 && (is_taken(0) || is_taken(1))) heads /= 2;
  return heads;
}

}  // namespace

MaskedPositions DrawMask(GraphDraft* d, ValueId x) {
  const std::array sizes{d->VariableAt(x, 0), d->VariableAt(x, 1)};
  const double kind = d->draw().Number();
  if (kind < 0.4 || sizes[0] == kNoVariable || sizes[1] == kNoVariable) return {};
  if (kind < 0.78) {
    const ValueId hidden =
        d->draw().Chance(0.7) ? CausalMaskByTril(d, sizes[1]) : CausalMaskByPositions(d, sizes[1]);
    d->Name(hidden, "mask");
    return {AttentionMask::kCausal, hidden};
  }
  ValueId seen = d->Input("attention_mask", DType::kBool, sizes, {0, 1, 0.70710678});
  seen = d->Call("unsqueeze", {d->Call("unsqueeze", {seen}, {{"dim", 1}})}, {{"dim", 2}});
  d->Name(seen, "mask");
  if (d->draw().Chance(0.7)) {
    const Extent length = Extent::Of(sizes[1]);
    const Extent batch = Extent::Of(sizes[0]);
    seen = d->Call("expand", {seen}, {d->Tuple("size", {batch, {1}, length, length})});
    d->Name(seen, "mask");
  }
  return {AttentionMask::kGiven, seen};
}

ValueId AttentionBlock(GraphDraft* d, ValueId x, int heads, const MaskedPositions* shared) {
  Draw& draw = d->draw();
  const MaskedPositions mask = shared != nullptr ? *shared : DrawMask(d, x);
  const std::int16_t width = Width(d, x);
  heads = DistinguishableHeads(d, x, width, heads);
  const Heads split{Extent::Of(d->VariableAt(x, 0)),
                    Extent::Of(d->VariableAt(x, 1)),
                    Extent::Of(ScaledSize(d, "head_dim", width, 1, heads)),
                    heads,
                    draw.Chance(0.65),
                    draw.Chance(0.3)};
  const bool bias = draw.Chance(0.7);
  Projections projections = draw.Chance(0.4) ? CutProjections(d, x, split, bias)
                                             : SeparateProjections(d, x, split, bias);
  if (draw.Chance(0.2)) Rotate(d, split, &projections);
  const auto [q, k, v] = projections;
  ValueId y;
  if (mask.kind == AttentionMask::kNone && draw.Chance(0.7)) {
    y = d->Call("scaled_dot_product_attention", {q, k, v}, {{"is_causal", draw.Chance(0.4)}});
  } else {
    const bool einsum = draw.Chance(0.3);
    const ValueId weights =
        Weights(d, q, k, d->PairOf(split.head.variable).large, mask, einsum);
    y = einsum ? Einsum(d, "bhqk,bhkd->bhqd", weights, v) : d->Call("matmul", {weights, v});
  }
  d->Name(y, "out");
  return Linear(d, JoinHeads(d, y, split, width), width, "out_proj", bias);
}

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

}  // namespace kernelmill
