// Rows of elementwise losses.
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

bool FromDifference(const OperatorUse& use, std::span<const Range> operands,
                    double (*f)(double, double), double parameter, Ranges* results) {
  const Range difference = PlusOf(operands[0], Scaled(operands[1], -1));
  const double far = std::fmax(-difference.low, difference.high);
  const double most = f(far, parameter);
  return AppendReducedLossRange(use, ResultDType(use),
                                {0, most, std::fmin(most, 1.5 * f(difference.scale, parameter))},
                                CountElementLosses(use), results);
}

bool MseRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return FromDifference(use, operands, [](double x, double) { return x * x; }, 0, results);
}

// torch has no mean of integers, and their sum is int64.
bool L1Infer(const OperatorUse& use, Types* results) {
  if (ReductionOf(use) == kMean) return InferLoss<>(use, results);
  if (!InferLoss<kNumbers>(use, results)) return false;
  TensorType& type = results->back();
  if (ReductionOf(use) == kSum && !IsFloating(type.dtype)) type.dtype = DType::kInt64;
  return true;
}

bool L1Range(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = ResultDType(use);
  Range difference = PlusOf(operands[0], Scaled(operands[1], -1));
  if (!IsFloating(dtype)) {
    // Negative differences of uint8 wrap around; the absolute value of other integers may.
    if (dtype == DType::kUInt8 && difference.low < 0) difference = Range::Uniform(0, 255);
    const double most = std::exp2(double(8 * BytesOf(dtype) - 1)) - 1;
    if (dtype != DType::kUInt8 && (difference.low < -most || difference.high > most)) return false;
  }
  const double far = std::fmax(-difference.low, difference.high);
  return AppendReducedLossRange(
      use, IsFloating(dtype) || ReductionOf(use) != kSum ? dtype : DType::kInt64,
      {0, far, difference.scale}, CountElementLosses(use), results);
}

std::string_view L1Scalar(const OperatorUse& use) {
  const DType dtype = ResultDType(use);
  if (IsFloating(dtype)) return "fabsf($0 - $1)";
  return dtype == DType::kUInt8 ? "$0 - $1" : "$0 < $1 ? $1 - $0 : $0 - $1";
}

bool SmoothInfer(const OperatorUse& use, Types* results) {
  return use.attribute(0).number() >= 0 && InferLoss<>(use, results);
}

bool SmoothRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const auto f = [](double x, double beta) { return x < beta ? x * x / (2 * beta) : x - beta / 2; };
  return FromDifference(use, operands, f, use.attribute(0).number(), results);
}

bool HuberInfer(const OperatorUse& use, Types* results) {
  // torch writes the result with the input's dtype, which must be the promoted one.
  return use.attribute(0).number() > 0 && use.operand(0).dtype == ResultDType(use) &&
         InferLoss<>(use, results);
}

bool HuberRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const auto f = [](double x, double delta) {
    return x <= delta ? x * x / 2 : delta * (x - delta / 2);
  };
  return FromDifference(use, operands, f, use.attribute(0).number(), results);
}

// Inputs and targets that are probabilities.
bool ProbabilityInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType type = (*inputs)[0].type;
  inputs->assign(2, {type, Range::Uniform(0, 1)});
  return IsFloating(type.dtype);
}

bool BceInfer(const OperatorUse& use, Types* results) {
  return use.operand(0).dtype == use.operand(1).dtype && InferLossOfOneShape(use, results);
}

bool BceRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!operands[0].Within({0, 1}) || !operands[1].Within({0, 1})) return false;
  return AppendReducedLossRange(use, ResultDType(use), {0, 100, 1.5}, CountElementLosses(use),
                                results);
}

bool TargetInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  inputs->push_back({(*inputs)[0].type, Range::Uniform(0, 1)});
  return IsFloating((*inputs)[0].type.dtype);
}

bool BceLogitsRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!operands[1].Within({0, 1})) return false;
  const double far = std::fmax(std::fabs(operands[0].low), std::fabs(operands[0].high));
  return AppendReducedLossRange(use, ResultDType(use), {0, far + 0.7, 0.7 + operands[0].scale / 2},
                                CountElementLosses(use), results);
}

// kl_div(input, target, log_target, reduction): the input holds log-probabilities.
bool KlDivInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  if (!IsFloating(type.dtype) || !BroadcastAll(use, &type.shape)) return false;
  if (!IsFloating(use.operand(0).dtype) || !IsFloating(use.operand(1).dtype)) return false;
  return InferReducedLoss(use, type, results);
}

bool KlDivInputs(Draw*, std::span<const Attribute> attributes, NewTensors* inputs) {
  (*inputs)[0].range = Range::Uniform(-4, 0);
  inputs->push_back(
      {(*inputs)[0].type, attributes[0].flag() ? Range::Uniform(-4, 0) : Range::Uniform(0, 1)});
  return true;
}

bool KlDivRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range &input = operands[0], &target = operands[1];
  Range element;
  if (use.attribute(0).flag()) {
    const Range weight{std::exp(target.low), std::exp(target.high), std::exp(MeanOf(target))};
    element = ProductOf(weight, PlusOf(target, Scaled(input, -1)));
  } else {
    if (target.low < 0) return false;
    const auto entropy = [](double x) { return x <= 0 ? 0 : x * std::log(x); };
    const Range own{-0.36788, std::fmax(entropy(target.low), entropy(target.high)), 0.25};
    element = PlusOf(own, Scaled(ProductOf(target, input), -1));
  }
  if (ReductionOf(use) > kNone) {
    const std::int64_t batch = use.shape(0).rank() > 0 ? use.shape(0)[0] : 1;
    const double each = double(CountElementLosses(use)) / double(std::max<std::int64_t>(1, batch));
    element = Scaled(element, each);
  }
  return AppendReducedLossRange(use, ResultDType(use), element, CountElementLosses(use), results);
}

std::string_view KlDivScalar(const OperatorUse& use) {
  return use.attribute(0).flag() ? "expf($1) * ($1 - $0)"
                                 : "($1 == 0.0f ? 0.0f : $1 * logf($1)) - $1 * $0";
}

}  // namespace

void AddLosses(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "mse_loss",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {ReductionAttribute()},
       .infer = InferLoss<>,
       .inputs = InputsAlike<1>,
       .range = MseRange,
       .cost = CostPerInput<3>,
       .scalar = "($0 - $1) * ($0 - $1)",
       .spellings = {"torch.nn.functional.mse_loss", "torch.nn.MSELoss"},
       .weight = 2,
       .words = {.formula = "(a - b)^2", .note = "averaged, added up or left as they are"},
       .cpp = {.refused = {"mse_loss"}}});
  rows->push_back({.name = "l1_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {ReductionAttribute()},
                   .infer = L1Infer,
                   .inputs = InputsAlike<1>,
                   .range = L1Range,
                   .cost = CostPerInput<2>,
                   .scalar_of = L1Scalar,
                   .spellings = {"torch.nn.functional.l1_loss", "torch.nn.L1Loss"},
                   .weight = 1});
  rows->push_back({.name = "smooth_l1_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {NumberWithDefault("beta", 1, 0.25, 2), ReductionAttribute()},
                   .infer = SmoothInfer,
                   .inputs = InputsAlike<1>,
                   .range = SmoothRange,
                   .cost = CostPerInput<4>,
                   .scalar = "fabsf($0 - $1) < {beta} ? 0.5f * ($0 - $1) * ($0 - $1) / {beta} : "
                             "fabsf($0 - $1) - 0.5f * {beta}",
                   .spellings = {"torch.nn.functional.smooth_l1_loss", "torch.nn.SmoothL1Loss"},
                   .weight = 1.5});
  rows->push_back({.name = "huber_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {NumberWithDefault("delta", 1, 0.25, 2), ReductionAttribute()},
                   .infer = HuberInfer,
                   .inputs = InputsAlike<1>,
                   .range = HuberRange,
                   .cost = CostPerInput<4>,
                   .scalar = "fabsf($0 - $1) <= {delta} ? 0.5f * ($0 - $1) * ($0 - $1) : {delta} * "
                             "(fabsf($0 - $1) - 0.5f * {delta})",
                   .spellings = {"torch.nn.functional.huber_loss", "torch.nn.HuberLoss"},
                   .weight = 0.8});
  rows->push_back(
      {.name = "binary_cross_entropy",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {ReductionAttribute()},
       .infer = BceInfer,
       .inputs = ProbabilityInputs,
       .range = BceRange,
       .cost = CostPerInput<6>,
       .scalar = "($1 - 1.0f) * fmaxf(log1pf(-$0), -100.0f) - $1 * fmaxf(logf($0), -100.0f)",
       .spellings = {"torch.nn.functional.binary_cross_entropy", "torch.nn.BCELoss"},
       .weight = 0.8});
  rows->push_back(
      {.name = "binary_cross_entropy_with_logits",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {ReductionAttribute()},
       .infer = BceInfer,
       .inputs = TargetInputs,
       .range = BceLogitsRange,
       .cost = CostPerInput<7>,
       .scalar = "(1.0f - $1) * $0 - (($0 < 0.0f ? $0 : 0.0f) - log1pf(expf(-fabsf($0))))",
       .spellings = {"torch.nn.functional.binary_cross_entropy_with_logits",
                     "torch.nn.BCEWithLogitsLoss"},
       .weight = 0.8});
  rows->push_back(
      {.name = "kl_div",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {KeywordOnly(FlagOf("log_target")), ChoiceOf("reduction", kReductions)},
       .infer = KlDivInfer,
       .inputs = KlDivInputs,
       .range = KlDivRange,
       .cost = CostPerInput<4>,
       .scalar_of = KlDivScalar,
       .spellings = {"torch.nn.functional.kl_div", "torch.nn.KLDivLoss"},
       .weight = 1.5});
}

}  // namespace kernelmill
