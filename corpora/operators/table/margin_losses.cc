// Rows of elementwise margin losses and negative log likelihoods.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/loss_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kLoss;

// Targets are 1 or -1.
bool SignedInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  inputs->push_back({(*inputs)[0].type, Range::Constant(1)});
  return IsFloating((*inputs)[0].type.dtype);
}

bool SoftMarginInfer(const OperatorUse& use, Types* results) {
  return use.operand(0).dtype == use.operand(1).dtype && InferLossOfOneShape(use, results);
}

bool SoftMarginRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range product = ProductOf(operands[0], operands[1]);
  if (product.low < -80) return false;
  return AppendReducedLossRange(use, ResultDType(use),
                                {0, std::fmax(-product.low, 0) + 0.7, 0.7 + product.scale / 2},
                                CountElementLosses(use), results);
}

// The target only selects, so the result has the input's dtype.
bool HingeInfer(const OperatorUse& use, Types* results) {
  TensorType type{use.operand(0).dtype, {}};
  return IsFloating(type.dtype) && BroadcastAll(use, &type.shape) &&
         InferReducedLoss(use, type, results);
}

// hinge_embedding_loss(input, target, margin).
bool HingeRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double margin = use.attribute(0).number();
  const Range& x = operands[0];
  return AppendReducedLossRange(
      use, use.operand(0).dtype,
      {std::fmin(x.low, 0), std::fmax(x.high, 0) + std::fmax(0, margin - x.low),
       x.scale + std::fabs(margin)},
      CountElementLosses(use), results);
}

// margin_ranking_loss(input1, input2, target, margin).
bool RankingInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType type = (*inputs)[0].type;
  inputs->push_back({type, UsualRange(type.dtype)});
  inputs->push_back({type, Range::Constant(-1)});
  return IsFloating(type.dtype);
}

// Whether an operand is a bool, which torch does not subtract.
bool HasBool(const OperatorUse& use) {
  return std::any_of(use.operands.begin(), use.operands.end(),
                     [](const TensorType* type) { return type->dtype == DType::kBool; });
}

bool RankingInfer(const OperatorUse& use, Types* results) {
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.shape(int(i)).rank() != use.shape(0).rank()) return false;
  }
  return !HasBool(use) && InferLoss<>(use, results);
}

bool RankingRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  // For an integer target, -target may wrap around.
  if (!IsFloating(use.operand(2).dtype)) return false;
  const Range product = ProductOf(operands[2], PlusOf(operands[0], Scaled(operands[1], -1)));
  const double margin = use.attribute(0).number();
  return AppendReducedLossRange(
      use, ResultDType(use),
      {0, std::fmax(0, margin - product.low), product.scale + std::fabs(margin)},
      CountElementLosses(use), results);
}

// exp and log convert integer inputs to floating point.
DType PoissonDType(const OperatorUse& use) {
  return Promoted(FloatingOf(use.operand(0).dtype), ResultDType(use));
}

bool PoissonInfer(const OperatorUse& use, Types* results) {
  if (!InferLoss<kNumbers>(use, results)) return false;
  results->back().dtype = PoissonDType(use);
  return true;
}

// poisson_nll_loss(input, target, log_input): exp(input) - target * input.
bool PoissonInputs(Draw*, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType type = (*inputs)[0].type;
  NarrowRange(attributes[0].flag() ? -3 : 0, 3, &(*inputs)[0]);
  inputs->push_back({type, Range::Uniform(0, 5)});
  return type.dtype != DType::kBool;
}

bool PoissonRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& x = operands[0];
  const bool logarithm = use.attribute(0).flag();
  if (!logarithm && x.low < 0) return false;
  const double own = logarithm ? std::exp(x.high) : x.high;
  const double factor = logarithm ? std::fmax(std::fabs(x.low), std::fabs(x.high)) : 18.5;
  const double most =
      own + factor * std::fmax(std::fabs(operands[1].low), std::fabs(operands[1].high));
  return AppendReducedLossRange(use, PoissonDType(use), {-most, most, most / 4},
                                CountElementLosses(use), results);
}

std::string_view PoissonScalar(const OperatorUse& use) {
  return use.attribute(0).flag() ? "expf($0) - $1 * $0" : "$0 - $1 * logf($0 + {eps})";
}

// gaussian_nll_loss(input, target, var, full, eps).
bool GaussianInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType type = (*inputs)[0].type;
  inputs->push_back({type, UsualRange(type.dtype)});
  inputs->push_back({type, Range::Uniform(0.1, 2)});
  return IsFloating(type.dtype);
}

// The variance has the input's shape, or is constant along the last dimension, which it may lack.
bool GaussianInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}}, variance = use.operand(2);
  const Shape& input = use.shape(0);
  if (!IsFloating(type.dtype) || HasBool(use) || !Broadcast(input, use.shape(1), &type.shape))
    return false;
  if (variance.shape != input) {
    if (input.rank() == 0) return false;
    Shape last = input;
    last[input.rank() - 1] = 1;
    if (variance.shape.rank() + 1 == input.rank()) variance.shape.Append(1);
    if (variance.shape != last) return false;
  }
  return Broadcast(type.shape, variance.shape, &type.shape) && InferReducedLoss(use, type, results);
}

bool GaussianRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (operands[2].low < 1e-3) return false;
  const Range difference = PlusOf(operands[0], Scaled(operands[1], -1));
  const double far = std::fmax(-difference.low, difference.high);
  const double low = 0.5 * std::log(operands[2].low);
  const double high = 0.5 * (std::log(operands[2].high) + far * far / operands[2].low);
  return AppendReducedLossRange(
      use, ResultDType(use),
      {low, high, 1 + difference.scale * difference.scale / operands[2].scale},
      CountElementLosses(use), results);
}

}  // namespace

void AddMarginLosses(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "soft_margin_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {ReductionAttribute()},
                   .infer = SoftMarginInfer,
                   .inputs = SignedInputs,
                   .range = SoftMarginRange,
                   .cost = CostPerInput<4>,
                   .scalar = "log1pf(expf(-$1 * $0))",
                   .spellings = {"torch.nn.functional.soft_margin_loss", "torch.nn.SoftMarginLoss"},
                   .weight = 0.5});
  rows->push_back(
      {.name = "hinge_embedding_loss",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {NumberWithDefault("margin", 1, 0.5, 2), ReductionAttribute()},
       .infer = HingeInfer,
       .inputs = SignedInputs,
       .range = HingeRange,
       .cost = CostPerInput<3>,
       .scalar = "($1 == 1.0f ? 0.0f : {margin} - $0 < 0.0f ? 0.0f : {margin} - $0) + ($1 == -1.0f "
                 "? 0.0f : $0)",
       .spellings = {"torch.nn.functional.hinge_embedding_loss", "torch.nn.HingeEmbeddingLoss"},
       .weight = 0.7});
  rows->push_back(
      {.name = "margin_ranking_loss",
       .family = kFamily,
       .operands = {{"input1"}, {"input2"}, {"target"}},
       .attributes = {NumberWithDefault("margin", 0, 0, 1), ReductionAttribute()},
       .infer = RankingInfer,
       .inputs = RankingInputs,
       .range = RankingRange,
       .cost = CostPerInput<4>,
       .scalar = "{margin} - $2 * ($0 - $1) < 0.0f ? 0.0f : {margin} - $2 * ($0 - $1)",
       .spellings = {"torch.nn.functional.margin_ranking_loss", "torch.nn.MarginRankingLoss"},
       .weight = 0.5});
  rows->push_back(
      {.name = "poisson_nll_loss",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {FlagOf("log_input", true), NeverVaried("eps", Attribute::Number(1e-8)),
                      ReductionAttribute()},
       .infer = PoissonInfer,
       .inputs = PoissonInputs,
       .range = PoissonRange,
       .cost = CostPerInput<3>,
       .scalar_of = PoissonScalar,
       .spellings = {"torch.nn.functional.poisson_nll_loss", "torch.nn.PoissonNLLLoss"},
       .weight = 0.5});
  rows->push_back(
      {.name = "gaussian_nll_loss",
       .family = kFamily,
       .operands = {{"input"}, {"target"}, {"var"}},
       .attributes = {NeverVaried("eps", Attribute::Number(1e-6)), ReductionAttribute()},
       .infer = GaussianInfer,
       .inputs = GaussianInputs,
       .range = GaussianRange,
       .cost = CostPerInput<6>,
       .scalar = "0.5f * (logf(fmaxf($2, {eps})) + ($0 - $1) * ($0 - $1) / fmaxf($2, {eps}))",
       .spellings = {"torch.nn.functional.gaussian_nll_loss", "torch.nn.GaussianNLLLoss"},
       .weight = 0.5});
}

}  // namespace kernelmill
