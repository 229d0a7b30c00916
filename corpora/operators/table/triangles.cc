// Rows of triangles and diagonals of matrices.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kTriangular;

bool TriangleInfer(const OperatorUse& use, Types* results) {
  return use.shape(0).rank() >= 2 && InferSame<kAnyDType>(use, results);
}

bool ProposeDiagonal(Draw* draw, std::span<const TensorType* const>,
                     std::span<Attribute> attributes) {
  if (draw->Chance(0.4)) attributes[0] = Attribute::Integer(draw->Integer(-2, 2));
  return true;
}

bool WithZeros(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  return AddRange(use.operand(0).dtype,
                  {std::fmin(range.low, 0), std::fmax(range.high, 0), 0.7 * range.scale}, results);
}

// diag(input, diagonal): a matrix from a vector, or a vector from a matrix.
bool DiagInfer(const OperatorUse& use, Types* results) {
  TensorType type{use.operand(0).dtype, {}};
  const Shape& shape = use.shape(0);
  const std::int64_t offset = use.integer(0), far = offset < 0 ? -offset : offset;
  if (shape.rank() == 1) {
    type.shape = {shape[0] + far, shape[0] + far};
  } else if (shape.rank() == 2) {
    const std::int64_t length =
        offset >= 0 ? std::min(shape[0], shape[1] - offset) : std::min(shape[0] + offset, shape[1]);
    type.shape = {std::max<std::int64_t>(0, length)};
  } else {
    return false;
  }
  results->push_back(type);
  return true;
}

bool TraceInfer(const OperatorUse& use, Types* results) {
  const DType dtype = use.operand(0).dtype;
  if (use.shape(0).rank() != 2 || dtype == DType::kBool) return false;
  results->push_back({IsFloating(dtype) ? dtype : DType::kInt64, {}});
  return true;
}

bool TraceRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Shape& shape = use.shape(0);
  const DType dtype = use.operand(0).dtype;
  return AddRange(IsFloating(dtype) ? dtype : DType::kInt64,
                  SumOf(operands[0], std::min(shape[0], shape[1])), results);
}

OperatorCost TraceCost(const OperatorUse& use, std::span<const TensorType>) {
  const std::int64_t length = std::min(use.shape(0)[0], use.shape(0)[1]);
  return {length, (length + 1) * BytesOf(use.operand(0).dtype)};
}

// diag_embed(input, offset, dim1, dim2): the last dimension becomes two.
bool DiagEmbedInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  const int rank = type.shape.rank();
  int first = 0, second = 0;
  if (rank < 1 || rank == kMaxRank || !WrapDimension(use.integer(1), rank + 1, &first) ||
      !WrapDimension(use.integer(2), rank + 1, &second) || first == second) {
    return false;
  }
  const std::int64_t offset = use.integer(0),
                     size = type.shape.Back(0) + (offset < 0 ? -offset : offset);
  type.shape.Erase(rank - 1);
  type.shape.Insert(std::min(first, second), size);
  type.shape.Insert(std::max(first, second), size);
  results->push_back(type);
  return true;
}

}  // namespace

void AddTriangles(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "tril",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("diagonal", Attribute::Kind::kInteger, Attribute::Integer(0))},
       .infer = TriangleInfer,
       .propose = ProposeDiagonal,
       .range = WithZeros,
       .cost = CostPerElement<0>,
       .spellings = {"torch.tril", "torch.Tensor.tril"},
       .weight = 6,
       .words = {.formula = "y[i][j] = x[i][j] where j - i <= diagonal, else 0"},
       .traits = {.keeps_sizes = true}});
  rows->push_back(
      {.name = "triu",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("diagonal", Attribute::Kind::kInteger, Attribute::Integer(0))},
       .infer = TriangleInfer,
       .propose = ProposeDiagonal,
       .range = WithZeros,
       .cost = CostPerElement<0>,
       .spellings = {"torch.triu", "torch.Tensor.triu"},
       .weight = 4,
       .words = {.formula = "y[i][j] = x[i][j] where j - i >= diagonal, else 0"},
       .traits = {.keeps_sizes = true}});
  rows->push_back(
      {.name = "diag",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("diagonal", Attribute::Kind::kInteger, Attribute::Integer(0))},
       .infer = DiagInfer,
       .propose = ProposeDiagonal,
       .range = WithZeros,
       .cost = CostPerElement<0>,
       .spellings = {"torch.diag", "torch.Tensor.diag"},
       .weight = 1,
       .words = {.like_family = false}});
  rows->push_back({.name = "trace",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = TraceInfer,
                   .range = TraceRange,
                   .cost = TraceCost,
                   .spellings = {"torch.trace", "torch.Tensor.trace"},
                   .weight = 0.5,
                   .words = {.like_family = false}});
  rows->push_back(
      {.name = "diag_embed",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("offset", Attribute::Kind::kInteger, Attribute::Integer(0)),
                      NeverVaried("dim1", Attribute::Integer(-2)),
                      NeverVaried("dim2", Attribute::Integer(-1))},
       .infer = DiagEmbedInfer,
       .propose = ProposeDiagonal,
       .range = WithZeros,
       .cost = CostPerElement<0>,
       .spellings = {"torch.diag_embed", "torch.Tensor.diag_embed"},
       .weight = 0.4,
       .words = {.like_family = false},
       .traits = {.dimensions_of_result = true}});
}

}  // namespace kernelmill
