// Rows of attention operators.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kAttention;

Shape BatchOf(const Shape& shape) { return Shape(shape.sizes().first(shape.sizes().size() - 2)); }

// scaled_dot_product_attention(query, key, value, attn_mask, is_causal, scale).
bool SdpaInfer(const OperatorUse& use, Types* results) {
  const TensorType &query = use.operand(0), &key = use.operand(1), &value = use.operand(2);
  if (!IsFloating(query.dtype) || key.dtype != query.dtype || value.dtype != query.dtype)
    return false;
  for (int i = 0; i < 3; ++i) {
    if (use.shape(i).rank() < 2) return false;
  }
  if (query.shape.Back(0) != key.shape.Back(0) || key.shape.Back(1) != value.shape.Back(1))
    return false;
  TensorType scores{query.dtype, {}}, type{query.dtype, {}};
  if (!Broadcast(BatchOf(query.shape), BatchOf(key.shape), &scores.shape) ||
      !Broadcast(scores.shape, BatchOf(value.shape), &type.shape)) {
    return false;
  }
  scores.shape.Append(query.shape.Back(1));
  scores.shape.Append(key.shape.Back(1));
  if (use.Has(3)) {
    const TensorType& mask = use.operand(3);
    Shape both;
    if (use.attribute(0).flag() || (mask.dtype != DType::kBool && mask.dtype != query.dtype &&
                                    mask.dtype != DType::kFloat32)) {
      return false;
    }
    if (mask.shape.rank() < 2 || !Broadcast(mask.shape, scores.shape, &both) ||
        both != scores.shape)
      return false;
  }
  type.shape.Append(query.shape.Back(1));
  type.shape.Append(value.shape.Back(0));
  results->push_back(type);
  return true;
}

bool SdpaPropose(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  if (inputs[0]->shape.rank() < 2 || !IsFloating(inputs[0]->dtype)) return false;
  if (draw->Chance(0.15)) attributes[1] = Attribute::Number(double(draw->Integer(1, 8)) / 8);
  return true;
}

bool SdpaInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType query = (*inputs)[0].type;
  const int rank = query.shape.rank();
  if (rank < 2) return false;
  TensorType key = query;
  if (draw->Chance(0.3)) key.shape[rank - 2] = draw->Binned(1, 2 * query.shape[rank - 2]);
  inputs->push_back({key, UsualRange(query.dtype)});
  inputs->push_back({key, UsualRange(query.dtype)});
  if (!attributes[0].flag() && draw->Chance(0.3)) {
    inputs->push_back(
        {{DType::kBool, {query.shape[rank - 2], key.shape[rank - 2]}}, {0, 1, 0.70710678}});
  }
  return true;
}

OperatorCost SdpaCost(const OperatorUse& use, std::span<const TensorType> results) {
  const std::int64_t rows =
      results[0].shape.Elements() / std::max<std::int64_t>(1, results[0].shape.Back(0));
  const std::int64_t keys = use.shape(1).Back(1);
  const std::int64_t each = 2 * use.shape(0).Back(0) + 2 * results[0].shape.Back(0) + 5;
  // A causal mask halves the work.
  return {rows * keys * each / (use.attribute(0).flag() ? 2 : 1), BytesMoved(use, results)};
}

// Results are means of values, or 0 where every key is masked.
bool SdpaRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Range range = use.Has(3) ? HullOf(operands[2], Range{}) : operands[2];
  const double keys = double(std::max<std::int64_t>(1, use.shape(1).Back(1)));
  const double mean = MeanOf(range);
  range.scale = std::hypot(mean, range.scale / std::sqrt(std::fmin(keys, 16)));
  return AddRange(use.operand(0).dtype, range, results);
}

// multi_head_attention_forward(query, key, value, …) for (length, batch, width) or (length, width).
// Operands: 0 query, 1 key, 2 value, 3 in_proj_weight, 4 out_proj_weight, 5 in_proj_bias, 6
// out_proj_bias. Results: the output and, if requested, the attention weights averaged over the
// heads.
bool MhaInfer(const OperatorUse& use, Types* results) {
  const TensorType &query = use.operand(0), &key = use.operand(1);
  const int rank = query.shape.rank();
  if (!IsFloating(query.dtype) || (rank != 2 && rank != 3) || key.shape.rank() != rank ||
      use.operand(2) != key || key.dtype != query.dtype || !use.Has(3) || !use.Has(4)) {
    return false;
  }
  const std::int64_t width = query.shape.Back(0), heads = use.integer(0);
  if (key.shape.Back(0) != width || (rank == 3 && key.shape[1] != query.shape[1]) || heads < 1 ||
      width % heads != 0) {
    return false;
  }
  const bool bias = use.attribute(2).flag();
  const TensorType expected[] = {{query.dtype, {3 * width, width}},
                                 {query.dtype, {width, width}},
                                 {query.dtype, {3 * width}},
                                 {query.dtype, {width}}};
  for (int i = 0; i < 4; ++i) {
    if (use.Has(3 + i) != (i < 2 || bias) || (use.Has(3 + i) && use.operand(3 + i) != expected[i]))
      return false;
  }
  results->push_back(query);
  if (use.attribute(1).flag()) {
    TensorType weights{query.dtype, {}};
    if (rank == 3) weights.shape.Append(query.shape[1]);
    weights.shape.Append(query.shape[0]);
    weights.shape.Append(key.shape[0]);
    results->push_back(weights);
  }
  return true;
}

bool MhaParameters(const OperatorUse& use, Types* types) {
  const TensorType& query = use.operand(0);
  if (query.shape.rank() < 2) return false;
  const std::int64_t width = query.shape.Back(0);
  types->push_back({query.dtype, {3 * width, width}});
  types->push_back({query.dtype, {width, width}});
  if (use.attribute(2).flag()) {
    types->push_back({query.dtype, {3 * width}});
    types->push_back({query.dtype, {width}});
  }
  return true;
}

bool MhaPropose(Draw* draw, std::span<const TensorType* const> inputs,
                std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if ((shape.rank() != 2 && shape.rank() != 3) || !IsFloating(inputs[0]->dtype)) return false;
  std::int64_t heads = draw->Binned(1, std::min<std::int64_t>(shape.Back(0), 16));
  while (shape.Back(0) % heads != 0) --heads;
  attributes[0] = Attribute::Integer(heads);
  return true;
}

bool MhaInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  TensorType key = (*inputs)[0].type;
  if (key.shape.rank() < 2) return false;
  if (draw->Chance(0.3)) key.shape[0] = draw->Binned(1, 2 * key.shape[0]);
  inputs->push_back({key, UsualRange(key.dtype)});
  inputs->push_back({key, UsualRange(key.dtype)});
  return true;
}

OperatorCost MhaCost(const OperatorUse& use, std::span<const TensorType> results) {
  const Shape &query = use.shape(0), &key = use.shape(1);
  const std::int64_t width = query.Back(0), batch = query.rank() == 3 ? query[1] : 1;
  const std::int64_t projections = 2 * width * width * batch * (2 * query[0] + 2 * key[0]);
  const std::int64_t attention = batch * query[0] * key[0] * (4 * width + 5 * use.integer(0));
  return {projections + attention, BytesMoved(use, results)};
}

bool MhaRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const std::int64_t width = use.shape(0).Back(0);
  Range values = DotOf(operands[2], operands[3], width);
  if (use.Has(5)) values = PlusOf(values, operands[5]);
  Range range = DotOf(values, operands[4], width);
  if (use.Has(6)) range = PlusOf(range, operands[6]);
  if (!AddRange(use.operand(0).dtype, range, results)) return false;
  if (use.attribute(1).flag()) {
    results->push_back({0, 1, 1 / double(std::max<std::int64_t>(1, use.shape(1)[0]))});
  }
  return true;
}

}  // namespace

void AddAttentions(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "scaled_dot_product_attention",
       .family = kFamily,
       .operands = {{"query"}, {"key"}, {"value"}, {"attn_mask", OperandRow::Role::kOptional}},
       .attributes = {FlagOf("is_causal"),
                      KeywordOnly(Proposed("scale", Attribute::Kind::kNumber))},
       .infer = SdpaInfer,
       .propose = SdpaPropose,
       .inputs = SdpaInputs,
       .range = SdpaRange,
       .cost = SdpaCost,
       .spellings = {"torch.nn.functional.scaled_dot_product_attention"},
       .weight = 10,
       .sampler = {.least_rank = 1, .most_columns = 256},
       .words = {.formula = "y[q] = sum_k softmax_k(scale * dot(Q[q], K[k])) * V[k]"},
       .traits = {.shifts_exponentials = true},
       .cpp = {.refused = {"scaled_dot_product_attention"}}});
  rows->push_back({.name = "multi_head_attention_forward",
                   .family = kFamily,
                   .operands = {{"query"},
                                {"key"},
                                {"value"},
                                {"in_proj_weight", OperandRow::Role::kParameter},
                                {"out_proj_weight", OperandRow::Role::kParameter},
                                {"in_proj_bias", OperandRow::Role::kParameter},
                                {"out_proj_bias", OperandRow::Role::kParameter}},
                   .attributes = {Proposed("num_heads", Attribute::Kind::kInteger),
                                  FlagOf("need_weights", true), ModuleOnly(FlagOf("bias", true))},
                   .infer = MhaInfer,
                   .parameters = MhaParameters,
                   .propose = MhaPropose,
                   .inputs = MhaInputs,
                   .range = MhaRange,
                   .cost = MhaCost,
                   .spellings = {"torch.nn.functional.multi_head_attention_forward",
                                 "torch.nn.MultiheadAttention"},
                   .weight = 3,
                   .construction = {.arguments = {SizeOf(0, -1), Given("num_heads")}},
                   .words = {.results = {"attn", "attn_weights"}}});
}

}  // namespace kernelmill
