// Rows of matrix products that are added to another matrix or vector: addmm, baddbmm and similar
// operators.
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

// input + product with the attributes beta and alpha. `rank` and `right` are the ranks of the
// factors; `summed` adds up the products of a batch.
template <int rank, int right, bool summed>
bool AddedProductInfer(const OperatorUse& use, Types* results) {
  const Shape &a = use.shape(1), &b = use.shape(2);
  if (a.rank() != rank || b.rank() != right || (rank == 3 && a[0] != b[0]) || !HaveOneDType(use) ||
      use.operand(0).dtype == DType::kBool) {
    return false;
  }
  for (const Attribute& factor : use.attributes) {
    if (factor.kind() == Attribute::Kind::kNumber && !IsFloating(use.operand(0).dtype))
      return false;
  }
  TensorType type{use.operand(0).dtype, {}};
  if (!MatmulShape(a, b, &type.shape)) return false;
  if (summed) type.shape.Erase(0);
  // The first operand may be broadcast, but must not enlarge the product.
  Shape both;
  if (!Broadcast(use.shape(0), type.shape, &both) || both != type.shape) return false;
  results->push_back(type);
  return true;
}

template <int rank, int right, bool summed>
bool AddedProductInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType first = (*inputs)[0].type;
  const int result_rank = right == 1 ? 1 : rank == 3 && !summed ? 3 : 2;
  if (first.shape.rank() != result_rank) return false;
  const std::int64_t inner = draw->Binned(1, 64), batch = draw->Binned(1, 8);
  Shape a, b;
  if (rank == 3) {
    a.Append(summed ? batch : first.shape[0]);
    b.Append(a[0]);
  }
  a.Append(right == 1 ? first.shape[0] : first.shape.Back(1));
  a.Append(inner);
  b.Append(inner);
  if (right > 1) b.Append(first.shape.Back(0));
  inputs->push_back({{first.dtype, a}, UsualRange(first.dtype)});
  inputs->push_back({{first.dtype, b}, UsualRange(first.dtype)});
  if (draw->Chance(0.3)) {
    NewTensor& bias = (*inputs)[0];
    for (int i = 0; i + 1 < bias.type.shape.rank(); ++i) bias.type.shape[i] = 1;
  }
  return true;
}

bool AddedProductPropose(Draw* draw, std::span<const TensorType* const> inputs,
                         std::span<Attribute> attributes) {
  if (!IsFloating(inputs[0]->dtype) || draw->Chance(0.7)) return true;
  attributes[0] = Attribute::Number(double(draw->Integer(1, 8)) / 4);
  attributes[1] = Attribute::Number(double(draw->Integer(1, 8)) / 4);
  return true;
}

OperatorCost AddedProductCost(const OperatorUse& use, std::span<const TensorType> results) {
  const Shape& a = use.shape(1);
  // Sums over the columns of the first factor, and over batches that are added up.
  const std::int64_t batches = a.rank() == 3 && results[0].shape.rank() == 2 ? a[0] : 1;
  return {results[0].shape.Elements() * (2 * a.Back(0) * batches + 2), BytesMoved(use, results)};
}

bool AddedProductRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Shape& a = use.shape(1);
  const std::int64_t count = a.Back(0) * (a.rank() == 3 && use.shape(0).rank() < 3 ? a[0] : 1);
  return AddRange(use.operand(0).dtype,
                  PlusOf(Scaled(operands[0], use.attribute(0).number()),
                         Scaled(DotOf(operands[1], operands[2], count), use.attribute(1).number())),
                  results);
}

}  // namespace

void AddAddedProducts(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "addmm",
       .family = kFamily,
       .operands = {{"input"}, {"mat1"}, {"mat2"}},
       .attributes =
           {KeywordOnly(Proposed("beta", Attribute::Kind::kNumber, Attribute::Integer(1))),
            KeywordOnly(Proposed("alpha", Attribute::Kind::kNumber, Attribute::Integer(1)))},
       .infer = AddedProductInfer<2, 2, false>,
       .propose = AddedProductPropose,
       .inputs = AddedProductInputs<2, 2, false>,
       .range = AddedProductRange,
       .cost = AddedProductCost,
       .spellings = {"torch.addmm", "torch.Tensor.addmm"},
       .weight = 3,
       .words = {.formula = "y[i][j] = beta * c[i][j] + alpha * sum_k a[i][k] * b[k][j]"},
       .cpp = {.refused = {"addmm"}}});
  rows->push_back({.name = "addmv",
                   .family = kFamily,
                   .operands = {{"input"}, {"mat"}, {"vec"}},
                   .attributes = {KeywordOnly(Proposed("beta", Attribute::Kind::kNumber,
                                                       Attribute::Integer(1))),
                                  KeywordOnly(Proposed("alpha", Attribute::Kind::kNumber,
                                                       Attribute::Integer(1)))},
                   .infer = AddedProductInfer<2, 1, false>,
                   .propose = AddedProductPropose,
                   .inputs = AddedProductInputs<2, 1, false>,
                   .range = AddedProductRange,
                   .cost = AddedProductCost,
                   .spellings = {"torch.addmv", "torch.Tensor.addmv"},
                   .weight = 0.4,
                   .cpp = {.refused = {"addmv"}}});
  rows->push_back({.name = "baddbmm",
                   .family = kFamily,
                   .operands = {{"input"}, {"batch1"}, {"batch2"}},
                   .attributes = {KeywordOnly(Proposed("beta", Attribute::Kind::kNumber,
                                                       Attribute::Integer(1))),
                                  KeywordOnly(Proposed("alpha", Attribute::Kind::kNumber,
                                                       Attribute::Integer(1)))},
                   .infer = AddedProductInfer<3, 3, false>,
                   .propose = AddedProductPropose,
                   .inputs = AddedProductInputs<3, 3, false>,
                   .range = AddedProductRange,
                   .cost = AddedProductCost,
                   .spellings = {"torch.baddbmm", "torch.Tensor.baddbmm"},
                   .weight = 0.6,
                   .cpp = {.refused = {"baddbmm"}}});
  rows->push_back({.name = "addbmm",
                   .family = kFamily,
                   .operands = {{"input"}, {"batch1"}, {"batch2"}},
                   .attributes = {KeywordOnly(Proposed("beta", Attribute::Kind::kNumber,
                                                       Attribute::Integer(1))),
                                  KeywordOnly(Proposed("alpha", Attribute::Kind::kNumber,
                                                       Attribute::Integer(1)))},
                   .infer = AddedProductInfer<3, 3, true>,
                   .propose = AddedProductPropose,
                   .inputs = AddedProductInputs<3, 3, true>,
                   .range = AddedProductRange,
                   .cost = AddedProductCost,
                   .spellings = {"torch.addbmm", "torch.Tensor.addbmm"},
                   .weight = 0.4});
}

}  // namespace kernelmill
