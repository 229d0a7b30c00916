// Rows of reductions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/reduction_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kReduction;

DType SumDType(DType dtype) { return IsFloating(dtype) ? dtype : DType::kInt64; }

bool SumInfer(const OperatorUse& use, Types* results) {
  return InferReduced(use, 0, SumDType(use.operand(0).dtype), results);
}

bool MeanInfer(const OperatorUse& use, Types* results) {
  const DType dtype = use.operand(0).dtype;
  return IsFloating(dtype) && InferReduced(use, 0, dtype, results);
}

bool SumRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(SumDType(use.operand(0).dtype), SumOf(operands[0], CountReduced(use, 0)),
                  results);
}

bool MeanRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const std::int64_t count = CountReduced(use, 0);
  return count > 0 && AddRange(use.operand(0).dtype,
                               Scaled(SumOf(operands[0], count), 1 / double(count)), results);
}

bool ProdInfer(const OperatorUse& use, Types* results) {
  if (use.attribute(0).kind() == Attribute::Kind::kIntegers) return false;
  return SumInfer(use, results);
}

bool ProdRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  const double count = double(CountReduced(use, 0));
  const double most = std::pow(std::fmax(std::fabs(range.low), std::fabs(range.high)), count);
  const DType dtype = SumDType(use.operand(0).dtype);
  // Sums of integers that wrap around may have any value.
  if (range.low >= 0) {
    return AddRange(dtype, {std::pow(range.low, count), most, std::pow(range.scale, count)},
                    results);
  }
  return AddRange(dtype, {-most, most, std::pow(range.scale, count)}, results);
}

// max(input) of an empty tensor is rejected.
bool ExtremeInfer(const OperatorUse& use, Types* results) {
  if (use.shape(0).Elements() == 0) return false;
  results->push_back({use.operand(0).dtype, {}});
  return true;
}

bool ExtremeAlongInfer(const OperatorUse& use, Types* results) {
  if (!InferReduced(use, 0, use.operand(0).dtype, results) || CountReduced(use, 0) == 0) {
    return false;
  }
  results->push_back({DType::kInt64, results->back().shape});
  return true;
}

bool ExtremeAlongRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  results->push_back(operands[0]);
  results->push_back(
      Range::Uniform(0, double(std::max<std::int64_t>(CountReduced(use, 0), 1) - 1)));
  return true;
}

bool AmaxInfer(const OperatorUse& use, Types* results) {
  return CountReduced(use, 0) > 0 && InferReduced(use, 0, use.operand(0).dtype, results);
}

// The variance is bounded by the range of the values; with as few values as `correction` it is
// undefined.
template <bool root>
bool VarianceRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double count = double(CountReduced(use, 0)), correction = use.attribute(1).number();
  if (count <= correction) return false;
  const Range& range = operands[0];
  const double mean = range.low * range.high < 0 ? 0.0 : 0.8 * range.scale;
  const double most = std::pow(range.high - range.low, 2) / 4 * count / (count - correction);
  const double typical = range.scale * range.scale - mean * mean;
  return AddRange(use.operand(0).dtype,
                  root ? Range{0, std::sqrt(most), std::sqrt(typical)} : Range{0, most, typical},
                  results);
}

bool VarianceInfer(const OperatorUse& use, Types* results) {
  std::uint32_t bits = 0;
  const TensorType& input = use.operand(0);
  if (!IsFloating(input.dtype) || !WrapDimensions(use.attribute(0), input.shape.rank(), &bits)) {
    return false;
  }
  results->push_back({input.dtype, Reduced(input.shape, bits, use.attribute(2).flag())});
  return true;
}

bool VariancePropose(Draw* draw, std::span<const TensorType* const> inputs,
                     std::span<Attribute> attributes) {
  const Attribute correction = attributes[1];
  const bool fits = ProposeDims(draw, inputs, attributes);
  attributes[1] = correction;
  return fits;
}

bool LogsumexpInfer(const OperatorUse& use, Types* results) {
  return !use.attribute(0).is_none() &&
         InferReduced(use, 0, FloatingOf(use.operand(0).dtype), results);
}

bool LogsumexpPropose(Draw* draw, std::span<const TensorType* const> inputs,
                      std::span<Attribute> attributes) {
  const bool keep = attributes[1].flag();
  ProposeDims(draw, inputs, attributes);
  if (attributes[0].is_none()) attributes[0] = Attribute::Integer(-1);
  attributes[1] = Attribute::Flag(keep);
  return inputs[0]->shape.rank() > 0;
}

bool LogsumexpRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const std::int64_t count = CountReduced(use, 0);
  if (count < 1) return false;
  const double more = std::log(double(count));
  const Range& range = operands[0];
  const double mean = std::fmin(range.high, MeanOf(range) + range.scale * range.scale / 2);
  return AddRange(FloatingOf(use.operand(0).dtype),
                  {range.low + more, range.high + more, std::hypot(mean + more, range.scale / 2)},
                  results);
}

// For uint8, which once stood in for bool, torch's all and any return uint8.
bool TruthInfer(const OperatorUse& use, Types* results) {
  const DType dtype = use.operand(0).dtype;
  return InferReduced(use, 0, dtype == DType::kUInt8 ? dtype : DType::kBool, results);
}

bool CountNonzeroInfer(const OperatorUse& use, Types* results) {
  std::uint32_t bits = 0;
  if (!WrapDimensions(use.attribute(0), use.shape(0).rank(), &bits)) return false;
  results->push_back({DType::kInt64, Reduced(use.shape(0), bits, false)});
  return true;
}

bool CountNonzeroPropose(Draw* draw, std::span<const TensorType* const> inputs,
                         std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank > 0 && draw->Chance(0.8)) {
    attributes[0] = Attribute::Integer(draw->Integer(-rank, rank - 1));
  }
  return true;
}

bool CountRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  results->push_back(Range::Uniform(0, double(CountReduced(use, 0))));
  return true;
}

// The attributes are the order, dim and keepdim.
bool NormInfer(const OperatorUse& use, Types* results) {
  return IsFloating(use.operand(0).dtype) && InferReduced(use, 1, use.operand(0).dtype, results);
}

bool NormPropose(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  static constexpr double kOrders[] = {2, 2, 2, 1, HUGE_VAL, 3};
  attributes[0] = Attribute::Number(kOrders[draw->Index(6)]);
  return ProposeDims(draw, inputs, attributes.subspan(1));
}

bool NormRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double order = use.attribute(0).number(), count = double(CountReduced(use, 1));
  const Range& range = operands[0];
  const double most = std::fmax(std::fabs(range.low), std::fabs(range.high));
  if (std::isinf(order))
    return AddRange(use.operand(0).dtype, {0, most, std::fmin(most, 2.5 * range.scale)}, results);
  if (order < 1) return false;
  // For half precision, torch accumulates the powers in float, whose range they must not exceed.
  if (count * std::pow(most, order) > 1e38) return false;
  const double factor = std::pow(count, 1 / order);
  return AddRange(use.operand(0).dtype, {0, factor * most, factor * range.scale}, results);
}

}  // namespace

void AddReductions(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "sum",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = SumInfer,
                   .propose = ProposeDims,
                   .range = SumRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.sum", "torch.Tensor.sum"},
                   .weight = 13,
                   .words = {.formula = "y = sum_k x[k]"},
                   .traits = {.adds_up = true}});
  rows->push_back({.name = "mean",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = MeanInfer,
                   .propose = ProposeDims,
                   .range = MeanRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.mean", "torch.Tensor.mean"},
                   .weight = 18,
                   .words = {.result = "mean", .formula = "y = sum_k x[k] / n"},
                   .traits = {.adds_up = true}});
  rows->push_back({.name = "prod",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger), FlagOf("keepdim")},
                   .infer = ProdInfer,
                   .propose = ProposeDimOrAll,
                   .range = ProdRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.prod", "torch.Tensor.prod"},
                   .weight = 0.6,
                   .words = {.formula = "y = prod_k x[k]"}});
  rows->push_back({.name = "max",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = ExtremeInfer,
                   .range = RangeOfFirstOperand,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.max", "torch.Tensor.max"},
                   .weight = 2,
                   .words = {.formula = "y = max_k x[k]"}});
  rows->push_back({.name = "min",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = ExtremeInfer,
                   .range = RangeOfFirstOperand,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.min", "torch.Tensor.min"},
                   .weight = 1,
                   .words = {.formula = "y = min_k x[k]"}});
  rows->push_back({.name = "max_dim",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimAndKeep,
                   .infer = ExtremeAlongInfer,
                   .range = ExtremeAlongRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.max", "torch.Tensor.max"},
                   .weight = 6,
                   .sampler = {.follower = 1.5}});
  rows->push_back({.name = "min_dim",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimAndKeep,
                   .infer = ExtremeAlongInfer,
                   .range = ExtremeAlongRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.min", "torch.Tensor.min"},
                   .weight = 8,
                   .sampler = {.follower = 1.5}});
  rows->push_back({.name = "amax",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = AmaxInfer,
                   .propose = ProposeDims,
                   .range = RangeOfFirstOperand,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.amax", "torch.Tensor.amax"},
                   .weight = 1,
                   .words = {.formula = "y = max_k x[k]"}});
  rows->push_back({.name = "amin",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = AmaxInfer,
                   .propose = ProposeDims,
                   .range = RangeOfFirstOperand,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.amin", "torch.Tensor.amin"},
                   .weight = 0.6,
                   .words = {.formula = "y = min_k x[k]"}});
  rows->push_back(
      {.name = "var",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("dim", Attribute::Kind::kIntegers),
                      KeywordOnly(IntegerBetween("correction", 0, 1, Attribute::Integer(1))),
                      FlagOf("keepdim")},
       .infer = VarianceInfer,
       .propose = VariancePropose,
       .range = VarianceRange<false>,
       .cost = CostPerInput<4>,
       .spellings = {"torch.var", "torch.Tensor.var"},
       .weight = 1,
       .words = {.result = "var", .formula = "y = sum_k (x[k] - mean)^2 / (n - correction)"}});
  rows->push_back(
      {.name = "std",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("dim", Attribute::Kind::kIntegers),
                      KeywordOnly(IntegerBetween("correction", 0, 1, Attribute::Integer(1))),
                      FlagOf("keepdim")},
       .infer = VarianceInfer,
       .propose = VariancePropose,
       .range = VarianceRange<true>,
       .cost = CostPerInput<4>,
       .spellings = {"torch.std", "torch.Tensor.std"},
       .weight = 1,
       .words = {.result = "std",
                 .formula = "y = sqrt(sum_k (x[k] - mean)^2 / (n - correction))"}});
  rows->push_back(
      {.name = "logsumexp",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = kDimsAndKeep,
       .infer = LogsumexpInfer,
       .propose = LogsumexpPropose,
       .range = LogsumexpRange,
       .cost = CostPerInput<3>,
       .spellings = {"torch.logsumexp", "torch.Tensor.logsumexp", "torch.special.logsumexp"},
       .weight = 11,
       .sampler = {.follower = 1.5},
       .words = {.formula = "y = m + log(sum_k exp(x[k] - m)), m = max_k x[k]"},
       .traits = {.shifts_exponentials = true},
       .cpp = {.refused = {"logsumexp"}}});
  rows->push_back({.name = "all",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = TruthInfer,
                   .propose = ProposeDims,
                   .range = RangeOfBool,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.all", "torch.Tensor.all"},
                   .weight = 0.6,
                   .question = ResultQuestion::kAllOrAny,
                   .words = {.formula = "y = and_k (x[k] != 0)"}});
  rows->push_back({.name = "any",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = TruthInfer,
                   .propose = ProposeDims,
                   .range = RangeOfBool,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.any", "torch.Tensor.any"},
                   .weight = 0.6,
                   .question = ResultQuestion::kAllOrAny,
                   .words = {.formula = "y = or_k (x[k] != 0)"}});
  rows->push_back({.name = "count_nonzero",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kIntegers)},
                   .infer = CountNonzeroInfer,
                   .propose = CountNonzeroPropose,
                   .range = CountRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.count_nonzero", "torch.Tensor.count_nonzero"},
                   .weight = 0.5,
                   .question = ResultQuestion::kZeroOrEqual,
                   .words = {.formula = "y = sum_k (x[k] != 0)"}});
  rows->push_back({.name = "norm",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("p", Attribute::Kind::kNumber),
                                  Proposed("dim", Attribute::Kind::kIntegers), FlagOf("keepdim")},
                   .infer = NormInfer,
                   .propose = NormPropose,
                   .range = NormRange,
                   .cost = CostPerInput<2>,
                   .spellings = {"torch.norm", "torch.Tensor.norm"},
                   .weight = 2,
                   .words = {.result = "norm"}});
  rows->push_back({.name = "vector_norm",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("ord", Attribute::Kind::kNumber),
                                  Proposed("dim", Attribute::Kind::kIntegers), FlagOf("keepdim")},
                   .infer = NormInfer,
                   .propose = NormPropose,
                   .range = NormRange,
                   .cost = CostPerInput<2>,
                   .spellings = {"torch.linalg.vector_norm"},
                   .weight = 1});
}

}  // namespace kernelmill
