// Matrix products and layers that are one.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kMatmul;

bool MatmulShape(const Shape& a, const Shape& b, Shape* result) {
  if (a.rank() == 0 || b.rank() == 0) return false;
  Shape left = a, right = b;
  if (a.rank() == 1) left.Insert(0, 1);
  if (b.rank() == 1) right.Append(1);
  if (left.rank() != a.rank() + (a.rank() == 1) || left.Back(0) != right.Back(1)) return false;
  const std::int64_t rows = left.Back(1), columns = right.Back(0);
  const Shape left_batch(left.sizes().first(left.rank() - 2));
  const Shape right_batch(right.sizes().first(right.rank() - 2));
  if (!Broadcast(left_batch, right_batch, result)) return false;
  if (a.rank() > 1) result->Append(rows);
  if (b.rank() > 1) result->Append(columns);
  return true;
}

// Tensors that are multiplied have one dtype.
bool OneDType(const OperatorUse& use) {
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.Has(int(i)) && use.operand(int(i)).dtype != use.operand(0).dtype) return false;
  }
  return true;
}

bool MatmulInfer(const OperatorUse& use, Types* results) {
  TensorType type{use.operand(0).dtype, {}};
  if (type.dtype == DType::kBool || !OneDType(use) ||
      !MatmulShape(use.shape(0), use.shape(1), &type.shape)) {
    return false;
  }
  results->push_back(type);
  return true;
}

bool MatmulInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  if (first.shape.rank() == 0) return false;
  const std::int64_t inner = first.shape.Back(0);
  Shape shape;
  if (first.shape.rank() > 2 && draw->Chance(0.6)) {
    shape = Shape(first.shape.sizes().first(first.shape.rank() - 2));
  }
  shape.Append(inner);
  if (shape.rank() > 1 || draw->Chance(0.8)) shape.Append(draw->Binned(1, 4 * inner));
  inputs->push_back({{first.dtype, shape}, UsualRange(first.dtype)});
  return true;
}

OperatorCost MatmulCost(const OperatorUse& use, std::span<const TensorType> results) {
  return {2 * results[0].shape.Elements() * use.shape(0).Back(0), BytesMoved(use, results)};
}

bool MatmulRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(use.operand(0).dtype,
                  SumOf(ProductOf(operands[0], operands[1]), use.shape(0).Back(0)), results);
}

bool LinearInfer(const OperatorUse& use, Types* results) {
  if (!use.Has(1) || !OneDType(use)) return false;
  TensorType type = use.operand(0);
  const Shape& weight = use.shape(1);
  if (type.shape.rank() == 0 || weight.rank() != 2 || weight[1] != type.shape.Back(0) ||
      weight[0] != use.integer(0) || use.Has(2) != use.attribute(1).flag() ||
      (use.Has(2) && use.shape(2) != Shape{weight[0]})) {
    return false;
  }
  type.shape[type.shape.rank() - 1] = weight[0];
  results->push_back(type);
  return IsFloating(type.dtype);
}

bool LinearParameters(const OperatorUse& use, Types* types) {
  const TensorType& input = use.operand(0);
  const std::int64_t features = use.integer(0);
  if (input.shape.rank() == 0) return false;
  types->push_back({input.dtype, {features, input.shape.Back(0)}});
  if (use.attribute(1).flag()) types->push_back({input.dtype, {features}});
  return true;
}

OperatorCost LinearCost(const OperatorUse& use, std::span<const TensorType> results) {
  const std::int64_t flops = 2 * use.shape(1)[1] + (use.Has(2) ? 1 : 0);
  return {flops * results[0].shape.Elements(), BytesMoved(use, results)};
}

bool LinearRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Range range = SumOf(ProductOf(operands[0], operands[1]), use.shape(1)[1]);
  if (use.Has(2)) range = PlusOf(range, operands[2]);
  return AddRange(use.operand(0).dtype, range, results);
}

}  // namespace

void AddProducts(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "matmul",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = MatmulInfer,
                   .inputs = MatmulInputs,
                   .range = MatmulRange,
                   .cost = MatmulCost,
                   .spellings = {"torch.matmul", "torch.Tensor.matmul", "torch.Tensor.__matmul__"},
                   .weight = 31});
  rows->push_back({.name = "linear",
                   .family = kFamily,
                   .operands = {{"input"},
                                {"weight", OperandRow::Role::kParameter},
                                {"bias", OperandRow::Role::kParameter}},
                   .attributes = {OfModule({"out_features",
                                            Attribute::Kind::kSize,
                                            {},
                                            {AttributeDraw::Kind::kBinned, 1, 4096}}),
                                  OfModule(FlagOf("bias", true))},
                   .infer = LinearInfer,
                   .parameters = LinearParameters,
                   .range = LinearRange,
                   .cost = LinearCost,
                   .spellings = {"torch.nn.functional.linear", "torch.nn.Linear"},
                   .weight = 88});
}

}  // namespace kernelmill
