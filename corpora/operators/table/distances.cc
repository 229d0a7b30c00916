// Rows of distances and angles between vectors.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kReduction;

// Whether torch computes Euclidean distances by a matrix product, as it does for many vectors. The
// product supports half precision.
bool IsProduct(const OperatorUse& use) {
  return use.attribute(0).number() == 2 &&
         std::max(use.shape(0).Back(1), use.shape(1).Back(1)) > 25;
}

bool CdistInfer(const OperatorUse& use, Types* results) {
  const TensorType &a = use.operand(0), &b = use.operand(1);
  if (a.dtype != b.dtype || !IsFloating(a.dtype) || a.shape.rank() < 2 || b.shape.rank() < 2 ||
      a.shape.Back(0) != b.shape.Back(0)) {
    return false;
  }
  if (a.dtype < DType::kFloat32 && !IsProduct(use)) return false;
  TensorType type{a.dtype, {}};
  if (!Broadcast(Shape(a.shape.sizes().first(a.shape.rank() - 2)),
                 Shape(b.shape.sizes().first(b.shape.rank() - 2)), &type.shape)) {
    return false;
  }
  type.shape.Append(a.shape.Back(1));
  type.shape.Append(b.shape.Back(1));
  results->push_back(type);
  return true;
}

bool CdistInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  TensorType type = (*inputs)[0].type;
  if (type.shape.rank() < 2) return false;
  type.shape[type.shape.rank() - 2] = draw->Binned(1, 32);
  inputs->push_back({type, UsualRange(type.dtype)});
  return true;
}

OperatorCost CdistCost(const OperatorUse& use, std::span<const TensorType> results) {
  return {3 * results[0].shape.Elements() * use.shape(0).Back(0), BytesMoved(use, results)};
}

Range DistanceOf(const Range& a, const Range& b, double order, std::int64_t count) {
  const Range difference = PlusOf(a, Scaled(b, -1));
  const double most = std::fmax(-difference.low, difference.high);
  const double factor = std::pow(double(std::max<std::int64_t>(count, 1)), 1 / order);
  return {0, factor * most, factor * difference.scale};
}

bool CdistRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double order = use.attribute(0).number();
  return order >= 1 &&
         AddRange(use.operand(0).dtype,
                  DistanceOf(operands[0], operands[1], order, use.shape(0).Back(0)), results);
}

bool OrderPropose(Draw* draw, std::span<const TensorType* const>, std::span<Attribute> attributes) {
  if (draw->Chance(0.3)) attributes[0] = Attribute::Number(1);
  return true;
}

bool PairwiseInfer(const OperatorUse& use, Types* results) {
  TensorType type{FloatingOf(ResultDType(use)), {}};
  if (ResultDType(use) == DType::kBool || !BroadcastAll(use, &type.shape)) return false;
  if (type.shape.rank() == 0) {
    results->push_back(type);
    return true;
  }
  const int last = type.shape.rank() - 1;
  if (use.attribute(2).flag()) {
    type.shape[last] = 1;
  } else {
    type.shape.Erase(last);
  }
  results->push_back(type);
  return true;
}

bool PairwiseRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double order = use.attribute(0).number();
  const std::int64_t count = std::max(use.shape(0).rank() > 0 ? use.shape(0).Back(0) : 1,
                                      use.shape(1).rank() > 0 ? use.shape(1).Back(0) : 1);
  // Differences of integers may wrap around.
  return order >= 1 && IsFloating(ResultDType(use)) &&
         AddRange(FloatingOf(ResultDType(use)), DistanceOf(operands[0], operands[1], order, count),
                  results);
}

bool CosineInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  int dim = 0;
  if (!IsFloating(type.dtype) || !BroadcastAll(use, &type.shape) || type.shape.rank() == 0 ||
      !WrapDimension(use.integer(0), type.shape.rank(), &dim)) {
    return false;
  }
  type.shape.Erase(dim);
  results->push_back(type);
  return true;
}

bool CosinePropose(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank == 0) return false;
  if (rank == 1 || draw->Chance(0.6))
    attributes[0] = Attribute::Integer(draw->Integer(-rank, rank - 1));
  return true;
}

bool CosineRange(const OperatorUse&, std::span<const Range>, Ranges* results) {
  results->push_back({-1, 1, 0.4});
  return true;
}

}  // namespace

void AddDistances(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "cdist",
                   .family = kFamily,
                   .operands = {{"x1"}, {"x2"}},
                   .attributes = {Proposed("p", Attribute::Kind::kNumber, Attribute::Number(2))},
                   .infer = CdistInfer,
                   .propose = OrderPropose,
                   .inputs = CdistInputs,
                   .range = CdistRange,
                   .cost = CdistCost,
                   .spellings = {"torch.cdist"},
                   .weight = 0.5});
  rows->push_back({.name = "pairwise_distance",
                   .family = kFamily,
                   .operands = {{"x1"}, {"x2"}},
                   .attributes = {Proposed("p", Attribute::Kind::kNumber, Attribute::Number(2)),
                                  NeverVaried("eps", Attribute::Number(1e-6)), FlagOf("keepdim")},
                   .infer = PairwiseInfer,
                   .propose = OrderPropose,
                   .inputs = InputsAlike<1>,
                   .range = PairwiseRange,
                   .cost = CostPerInput<4>,
                   .spellings = {"torch.nn.functional.pairwise_distance", "torch.pairwise_distance",
                                 "torch.nn.PairwiseDistance"},
                   .weight = 0.6});
  rows->push_back({.name = "cosine_similarity",
                   .family = kFamily,
                   .operands = {{"x1"}, {"x2"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger, Attribute::Integer(1)),
                                  NeverVaried("eps", Attribute::Number(1e-8))},
                   .infer = CosineInfer,
                   .propose = CosinePropose,
                   .inputs = InputsAlike<1>,
                   .range = CosineRange,
                   .cost = CostPerInput<6>,
                   .spellings = {"torch.nn.functional.cosine_similarity", "torch.cosine_similarity",
                                 "torch.nn.CosineSimilarity"},
                   .weight = 1});
}

}  // namespace kernelmill
