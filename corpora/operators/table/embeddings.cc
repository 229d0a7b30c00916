// Rows of embeddings, which look up rows of a table.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kEmbedding;

// embedding(input, weight) returns the rows of `weight` at the indices `input`.
bool EmbeddingInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (!use.Has(1) || (input.dtype != DType::kInt64 && input.dtype != DType::kInt32)) return false;
  const TensorType& weight = use.operand(1);
  if (weight.shape != Shape{use.integer(0), use.integer(1)}) return false;
  if (!use.attribute(2).is_none()) {
    const std::int64_t at = use.integer(2);
    if (at < -weight.shape[0] || at >= weight.shape[0]) return false;
  }
  TensorType type{weight.dtype, input.shape};
  if (type.shape.rank() == kMaxRank) return false;
  type.shape.Append(weight.shape[1]);
  results->push_back(type);
  return true;
}

bool EmbeddingParameters(const OperatorUse& use, Types* types) {
  types->push_back({DType::kFloat32, {use.integer(0), use.integer(1)}});
  return true;
}

bool EmbeddingInputs(Draw*, std::span<const Attribute> attributes, NewTensors* inputs) {
  NewTensor& input = (*inputs)[0];
  if (input.type.dtype != DType::kInt64) return false;
  input.range = Range::Uniform(0, double(attributes[0].integer() - 1));
  return true;
}

bool IndexesWithin(const Range& range, std::int64_t size) {
  return range.low >= 0 && range.high < double(size);
}

bool EmbeddingRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesWithin(operands[0], use.shape(1)[0])) return false;
  results->push_back(operands[1]);
  return true;
}

constexpr std::string_view kBagModes[] = {"mean", "sum", "max"};

bool EmbeddingBagInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (!use.Has(1) || input.shape.rank() != 2 ||
      (input.dtype != DType::kInt64 && input.dtype != DType::kInt32)) {
    return false;
  }
  const TensorType& weight = use.operand(1);
  if (weight.shape != Shape{use.integer(0), use.integer(1)} || !IsFloating(weight.dtype))
    return false;
  results->push_back({weight.dtype, {input.shape[0], weight.shape[1]}});
  return true;
}

OperatorCost EmbeddingBagCost(const OperatorUse& use, std::span<const TensorType> results) {
  return {use.shape(0).Elements() * use.shape(1)[1], BytesMoved(use, results)};
}

bool EmbeddingBagRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesWithin(operands[0], use.shape(1)[0])) return false;
  const std::int64_t count = use.shape(0)[1];
  const int mode = use.attribute(2).choice();
  Range range = operands[1];
  if (mode < 2) range = SumOf(range, count);
  // The same row may be drawn many times, so the terms of a sum are not independent.
  if (mode == 1)
    range = {double(count) * operands[1].low, double(count) * operands[1].high, range.scale};
  if (mode == 0)
    range = {operands[1].low, operands[1].high,
             range.scale / double(std::max<std::int64_t>(1, count))};
  return AddRange(use.operand(1).dtype, range, results);
}

// one_hot(tensor, num_classes).
bool OneHotInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  if (type.dtype != DType::kInt64 || use.integer(0) < 1 || type.shape.rank() == kMaxRank)
    return false;
  type.shape.Append(use.integer(0));
  results->push_back(type);
  return true;
}

bool OneHotRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!IndexesWithin(operands[0], use.integer(0))) return false;
  results->push_back({0, 1, std::sqrt(1 / double(use.integer(0)))});
  return true;
}

}  // namespace

void AddEmbeddings(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "embedding",
                   .family = kFamily,
                   .operands = {{"input"}, {"weight", OperandRow::Role::kParameter}},
                   .attributes = {ModuleOnly({"num_embeddings",
                                              Attribute::Kind::kSize,
                                              {},
                                              {AttributeDraw::Kind::kBinned, 2, 65536}}),
                                  ModuleOnly({"embedding_dim",
                                              Attribute::Kind::kSize,
                                              {},
                                              {AttributeDraw::Kind::kBinned, 1, 1024}}),
                                  NeverVaried("padding_idx", Attribute())},
                   .infer = EmbeddingInfer,
                   .parameters = EmbeddingParameters,
                   .inputs = EmbeddingInputs,
                   .range = EmbeddingRange,
                   .cost = CostOfCopy,
                   .spellings = {"torch.nn.functional.embedding", "torch.nn.Embedding"},
                   .weight = 20,
                   .construction = {.arguments = {Given("num_embeddings"), Given("embedding_dim")}},
                   .words = {.formula = "y[i] = weight[indices[i]]"}});
  rows->push_back({.name = "embedding_bag",
                   .family = kFamily,
                   .operands = {{"input"}, {"weight", OperandRow::Role::kParameter}},
                   .attributes = {ModuleOnly({"num_embeddings",
                                              Attribute::Kind::kSize,
                                              {},
                                              {AttributeDraw::Kind::kBinned, 2, 65536}}),
                                  ModuleOnly({"embedding_dim",
                                              Attribute::Kind::kSize,
                                              {},
                                              {AttributeDraw::Kind::kBinned, 1, 1024}}),
                                  ChoiceOf("mode", kBagModes)},
                   .infer = EmbeddingBagInfer,
                   .parameters = EmbeddingParameters,
                   .inputs = EmbeddingInputs,
                   .range = EmbeddingBagRange,
                   .cost = EmbeddingBagCost,
                   .spellings = {"torch.nn.functional.embedding_bag", "torch.nn.EmbeddingBag"},
                   .weight = 0.5,
                   .construction = {.arguments = {Given("num_embeddings"), Given("embedding_dim")}},
                   .cpp = {.refused = {"embedding_bag"}}});
  rows->push_back(
      {.name = "one_hot",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes =
           {{"num_classes", Attribute::Kind::kSize, {}, {AttributeDraw::Kind::kBinned, 2, 1024}}},
       .infer = OneHotInfer,
       .inputs = EmbeddingInputs,
       .range = OneHotRange,
       .cost = CostPerElement<0>,
       .spellings = {"torch.nn.functional.one_hot"},
       .weight = 0.5,
       .words = {.like_family = false}});
}

}  // namespace kernelmill
