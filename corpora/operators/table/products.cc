// Rows of matrix products, and of layers that compute one.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/product_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kMatmul;

bool MatmulInfer(const OperatorUse& use, Types* results) {
  TensorType type{use.operand(0).dtype, {}};
  if (type.dtype == DType::kBool || !HaveOneDType(use) ||
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
  return AddRange(use.operand(0).dtype, DotOf(operands[0], operands[1], use.shape(0).Back(0)),
                  results);
}

bool LinearInfer(const OperatorUse& use, Types* results) {
  if (!use.Has(1) || !HaveOneDType(use)) return false;
  TensorType type = use.operand(0);
  const Shape& weight = use.shape(1);
  if (type.shape.rank() == 0 || weight.rank() != 2 || weight[1] != type.shape.Back(0) ||
      weight[0] != use.integer(0) || use.Has(2) != use.attribute(1).flag() ||
      (use.Has(2) && use.shape(2) != Shape{weight[0]})) {
    return false;
  }
  type.shape[type.shape.rank() - 1] = weight[0];
  results->push_back(type);
  return type.dtype != DType::kBool;
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
  Range range = DotOf(operands[0], operands[1], use.shape(1)[1]);
  if (use.Has(2)) range = PlusOf(range, operands[2]);
  return AddRange(use.operand(0).dtype, range, results);
}

// mm, mv, dot, bmm: matmul for these ranks only, without broadcasting.
template <int left, int right>
bool ProductInfer(const OperatorUse& use, Types* results) {
  const Shape &a = use.shape(0), &b = use.shape(1);
  if (a.rank() != left || b.rank() != right || (left == 3 && a[0] != b[0])) return false;
  return MatmulInfer(use, results);
}

template <int left, int right>
bool ProductInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  if (first.shape.rank() != left) return false;
  Shape shape;
  if (left == 3) shape.Append(first.shape[0]);
  shape.Append(first.shape.Back(0));
  if (right > 1) shape.Append(draw->Binned(1, 4 * first.shape.Back(0)));
  inputs->push_back({{first.dtype, shape}, UsualRange(first.dtype)});
  return true;
}

bool OuterInfer(const OperatorUse& use, Types* results) {
  if (use.shape(0).rank() != 1 || use.shape(1).rank() != 1) return false;
  results->push_back({ResultDType(use), {use.shape(0)[0], use.shape(1)[0]}});
  return true;
}

bool OuterInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  if (first.shape.rank() != 1) return false;
  inputs->push_back({{first.dtype, {draw->Binned(1, 64)}}, UsualRange(first.dtype)});
  return true;
}

bool OuterRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(ResultDType(use), ProductOf(operands[0], operands[1]), results);
}

// bilinear(input1, input2, weight, bias).
bool BilinearInfer(const OperatorUse& use, Types* results) {
  const Shape &a = use.shape(0), &b = use.shape(1);
  if (!use.Has(2) || !HaveOneDType(use) || a.rank() == 0 || a.rank() != b.rank()) return false;
  const Shape& weight = use.shape(2);
  if (weight != Shape{use.integer(0), a.Back(0), b.Back(0)} ||
      use.Has(3) != use.attribute(1).flag()) {
    return false;
  }
  TensorType type = use.operand(0);
  for (int i = 0; i + 1 < a.rank(); ++i) {
    if (a[i] != b[i]) return false;
  }
  type.shape[a.rank() - 1] = weight[0];
  results->push_back(type);
  return type.dtype != DType::kBool;
}

bool BilinearParameters(const OperatorUse& use, Types* types) {
  const TensorType& input = use.operand(0);
  if (input.shape.rank() == 0 || use.shape(1).rank() == 0) return false;
  types->push_back({input.dtype, {use.integer(0), input.shape.Back(0), use.shape(1).Back(0)}});
  if (use.attribute(1).flag()) types->push_back({input.dtype, {use.integer(0)}});
  return true;
}

bool BilinearInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  TensorType type = (*inputs)[0].type;
  if (type.shape.rank() == 0) return false;
  type.shape[type.shape.rank() - 1] = draw->Binned(1, 16);
  inputs->push_back({type, UsualRange(type.dtype)});
  return true;
}

OperatorCost BilinearCost(const OperatorUse& use, std::span<const TensorType> results) {
  return {results[0].shape.Elements() * 3 * use.shape(0).Back(0) * use.shape(1).Back(0),
          BytesMoved(use, results)};
}

bool BilinearRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Range range = DotOf(ProductOf(operands[0], operands[1]), operands[2],
                      use.shape(0).Back(0) * use.shape(1).Back(0));
  range.low *= 2;  // The product of three normal numbers has longer tails.
  range.high *= 2;
  if (use.Has(3)) range = PlusOf(range, operands[3]);
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
                   .weight = 29,
                   .words = {.formula = "y[i][j] = sum_k a[i][k] * b[k][j]"},
                   .cpp = {.refused = {"matmul"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "mm",
                   .family = kFamily,
                   .operands = {{"input"}, {"mat2"}},
                   .infer = ProductInfer<2, 2>,
                   .inputs = ProductInputs<2, 2>,
                   .range = MatmulRange,
                   .cost = MatmulCost,
                   .spellings = {"torch.mm", "torch.Tensor.mm"},
                   .weight = 3,
                   .words = {.formula = "y[i][j] = sum_k a[i][k] * b[k][j]"},
                   .cpp = {.refused = {"mm"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "bmm",
                   .family = kFamily,
                   .operands = {{"input"}, {"mat2"}},
                   .infer = ProductInfer<3, 3>,
                   .inputs = ProductInputs<3, 3>,
                   .range = MatmulRange,
                   .cost = MatmulCost,
                   .spellings = {"torch.bmm", "torch.Tensor.bmm"},
                   .weight = 3,
                   .words = {.formula = "y[b][i][j] = sum_k a[b][i][k] * b[b][k][j]"},
                   .cpp = {.refused = {"bmm"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "mv",
                   .family = kFamily,
                   .operands = {{"input"}, {"vec"}},
                   .infer = ProductInfer<2, 1>,
                   .inputs = ProductInputs<2, 1>,
                   .range = MatmulRange,
                   .cost = MatmulCost,
                   .spellings = {"torch.mv", "torch.Tensor.mv"},
                   .weight = 0.7,
                   .words = {.formula = "y[i] = sum_k a[i][k] * x[k]"}});
  rows->push_back({.name = "dot",
                   .family = kFamily,
                   .operands = {{"input"}, {"tensor"}},
                   .infer = ProductInfer<1, 1>,
                   .inputs = ProductInputs<1, 1>,
                   .range = MatmulRange,
                   .cost = MatmulCost,
                   .spellings = {"torch.dot", "torch.Tensor.dot"},
                   .weight = 0.5,
                   .words = {.formula = "y = sum_k a[k] * b[k]"}});
  rows->push_back({.name = "linear",
                   .family = kFamily,
                   .operands = {{"input"},
                                {"weight", OperandRow::Role::kParameter},
                                {"bias", OperandRow::Role::kParameter}},
                   .attributes = {ModuleOnly({"out_features",
                                              Attribute::Kind::kSize,
                                              {},
                                              {AttributeDraw::Kind::kBinned, 1, 4096}}),
                                  ModuleOnly(FlagOf("bias", true))},
                   .infer = LinearInfer,
                   .parameters = LinearParameters,
                   .range = LinearRange,
                   .cost = LinearCost,
                   .spellings = {"torch.nn.functional.linear", "torch.nn.Linear"},
                   .weight = 88,
                   .sampler = {.first = 0.9},
                   .construction = {.arguments = {SizeOf(1, 1), Given("out_features")}},
                   .words = {.formula = "y[r][o] = sum_k x[r][k] * weight[o][k]",
                             .note = "and the bias on top where there is one"},
                   .cpp = {.refused = {"linear"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "outer",
                   .family = kFamily,
                   .operands = {{"input"}, {"vec2"}},
                   .infer = OuterInfer,
                   .inputs = OuterInputs,
                   .range = OuterRange,
                   .cost = CostPerElement<1>,
                   .spellings = {"torch.outer", "torch.Tensor.outer", "torch.ger"},
                   .weight = 0.6,
                   .words = {.formula = "y[i][j] = a[i] * b[j]", .like_family = false}});
  rows->push_back(
      {.name = "bilinear",
       .family = kFamily,
       .operands = {{"input1"},
                    {"input2"},
                    {"weight", OperandRow::Role::kParameter},
                    {"bias", OperandRow::Role::kParameter}},
       .attributes = {ModuleOnly({"out_features",
                                  Attribute::Kind::kSize,
                                  {},
                                  {AttributeDraw::Kind::kBinned, 1, 64}}),
                      ModuleOnly(FlagOf("bias", true))},
       .infer = BilinearInfer,
       .parameters = BilinearParameters,
       .inputs = BilinearInputs,
       .range = BilinearRange,
       .cost = BilinearCost,
       .spellings = {"torch.nn.functional.bilinear", "torch.nn.Bilinear"},
       .weight = 0.5,
       .construction = {.arguments = {SizeOf(0, -1), SizeOf(1, -1), Given("out_features")}},
       .words = {.like_family = false},
       .cpp = {.refused = {"bilinear"}}});
}

}  // namespace kernelmill
