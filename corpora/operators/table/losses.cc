// Losses of single elements, and their reduction.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kLoss;

constexpr std::string_view kReductions[] = {"mean", "sum", "none", "batchmean"};
constexpr int kMean = 0, kSum = 1, kNone = 2;

// Losses end with the attribute `reduction`.
int ReductionOf(const OperatorUse& use) { return use.attributes.back().choice(); }

AttributeRow Reduction() { return ChoiceOf("reduction", std::span(kReductions).first(3)); }

// What is left of an element for each place of `type` after the reduction.
bool Reduce(const OperatorUse& use, TensorType type, Types* results) {
  if (ReductionOf(use) != kNone) type.shape = {};
  results->push_back(type);
  return true;
}

// The same of ranges, `count` elements.
bool ReduceRange(const OperatorUse& use, DType dtype, const Range& element, std::int64_t count,
                 Ranges* results) {
  if (ReductionOf(use) != kSum) return AddRange(dtype, element, results);
  // Elements of a loss are alike: their sum may be as far off as each.
  const double n = double(count);
  return AddRange(dtype, {n * element.low, n * element.high, SumOf(element, count).scale}, results);
}

// Of operands that broadcast.
template <unsigned kinds = kFloats>
bool InferLoss(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  return Takes(kinds, type.dtype) && BroadcastAll(use, &type.shape) && Reduce(use, type, results);
}

// Of operands of one shape.
bool InferAligned(const OperatorUse& use, Types* results) {
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.shape(int(i)) != use.shape(0)) return false;
  }
  return InferLoss<>(use, results);
}

std::int64_t CountOf(const OperatorUse& use) {
  Shape shape;
  return BroadcastAll(use, &shape) ? shape.Elements() : 1;
}

bool FromDifference(const OperatorUse& use, std::span<const Range> operands,
                    double (*f)(double, double), double parameter, Ranges* results) {
  const Range difference = PlusOf(operands[0], Scaled(operands[1], -1));
  const double far = std::fmax(-difference.low, difference.high);
  const double most = f(far, parameter);
  return ReduceRange(use, ResultDType(use),
                     {0, most, std::fmin(most, 1.5 * f(difference.scale, parameter))}, CountOf(use),
                     results);
}

bool MseRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return FromDifference(use, operands, [](double x, double) { return x * x; }, 0, results);
}

// The mean of integers is none, and their sum int64.
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
    // Differences below 0 wrap around in bytes without a sign; of others the magnitude may.
    if (dtype == DType::kUInt8 && difference.low < 0) difference = Range::Uniform(0, 255);
    const double most = std::exp2(double(8 * BytesOf(dtype) - 1)) - 1;
    if (dtype != DType::kUInt8 && (difference.low < -most || difference.high > most)) return false;
  }
  const double far = std::fmax(-difference.low, difference.high);
  return ReduceRange(use, IsFloating(dtype) || ReductionOf(use) != kSum ? dtype : DType::kInt64,
                     {0, far, difference.scale}, CountOf(use), results);
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
  return use.attribute(0).number() > 0 && InferLoss<>(use, results);
}

bool HuberRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const auto f = [](double x, double delta) {
    return x <= delta ? x * x / 2 : delta * (x - delta / 2);
  };
  return FromDifference(use, operands, f, use.attribute(0).number(), results);
}

// Probabilities, and targets that are such.
bool ProbabilityInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  NewTensor& input = (*inputs)[0];
  input.range = Range::Uniform(0, 1);
  inputs->push_back(input);
  return IsFloating(input.type.dtype);
}

bool BceRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!operands[0].Within({0, 1}) || !operands[1].Within({0, 1})) return false;
  return ReduceRange(use, ResultDType(use), {0, 100, 1.5}, CountOf(use), results);
}

bool TargetInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  inputs->push_back({(*inputs)[0].type, Range::Uniform(0, 1)});
  return IsFloating((*inputs)[0].type.dtype);
}

bool BceLogitsRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!operands[1].Within({0, 1})) return false;
  const double far = std::fmax(std::fabs(operands[0].low), std::fabs(operands[0].high));
  return ReduceRange(use, ResultDType(use), {0, far + 0.7, 0.7 + operands[0].scale / 2},
                     CountOf(use), results);
}

// kl_div(input, target, log_target, reduction): the input holds logarithms.
bool KlDivInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  if (!IsFloating(type.dtype) || !BroadcastAll(use, &type.shape)) return false;
  if (ReductionOf(use) > kNone && use.shape(0).rank() == 0) return false;
  return Reduce(use, type, results);
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
    const double each = double(CountOf(use)) / double(std::max<std::int64_t>(1, use.shape(0)[0]));
    element = Scaled(element, each);
  }
  return ReduceRange(use, ResultDType(use), element, CountOf(use), results);
}

std::string_view KlDivScalar(const OperatorUse& use) {
  return use.attribute(0).flag() ? "expf($1) * ($1 - $0)"
                                 : "($1 == 0.0f ? 0.0f : $1 * logf($1)) - $1 * $0";
}

// Targets of 1 and -1.
bool SignedInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  inputs->push_back({(*inputs)[0].type, Range::Constant(1)});
  return IsFloating((*inputs)[0].type.dtype);
}

bool SoftMarginRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range product = ProductOf(operands[0], operands[1]);
  if (product.low < -80) return false;
  return ReduceRange(use, ResultDType(use),
                     {0, std::fmax(-product.low, 0) + 0.7, 0.7 + product.scale / 2}, CountOf(use),
                     results);
}

// hinge_embedding_loss(input, target, margin).
bool HingeRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double margin = use.attribute(0).number();
  const Range& x = operands[0];
  return ReduceRange(use, ResultDType(use),
                     {std::fmin(x.low, 0), std::fmax(x.high, 0) + std::fmax(0, margin - x.low),
                      x.scale + std::fabs(margin)},
                     CountOf(use), results);
}

// margin_ranking_loss(input1, input2, target, margin).
bool RankingInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType type = (*inputs)[0].type;
  inputs->push_back({type, UsualRange(type.dtype)});
  inputs->push_back({type, Range::Constant(-1)});
  return IsFloating(type.dtype);
}

bool RankingInfer(const OperatorUse& use, Types* results) {
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.shape(int(i)).rank() != use.shape(0).rank()) return false;
  }
  return InferLoss<>(use, results);
}

bool RankingRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range product = ProductOf(operands[2], PlusOf(operands[0], Scaled(operands[1], -1)));
  const double margin = use.attribute(0).number();
  return ReduceRange(use, ResultDType(use),
                     {0, std::fmax(0, margin - product.low), product.scale + std::fabs(margin)},
                     CountOf(use), results);
}

// Integers are taken as floating numbers.
bool PoissonInfer(const OperatorUse& use, Types* results) {
  if (!InferLoss<kNumbers>(use, results)) return false;
  results->back().dtype = FloatingOf(results->back().dtype);
  return true;
}

// poisson_nll_loss(input, target, log_input): exp(input) - target * input.
bool PoissonInputs(Draw*, std::span<const Attribute> attributes, NewTensors* inputs) {
  NewTensor& input = (*inputs)[0];
  Confine(attributes[0].flag() ? -3 : 0, 3, &input);
  inputs->push_back({input.type, Range::Uniform(0, 5)});
  return input.type.dtype != DType::kBool;
}

bool PoissonRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& x = operands[0];
  const bool logarithm = use.attribute(0).flag();
  if (!logarithm && x.low < 0) return false;
  const double own = logarithm ? std::exp(x.high) : x.high;
  const double factor = logarithm ? std::fmax(std::fabs(x.low), std::fabs(x.high)) : 18.5;
  const double most =
      own + factor * std::fmax(std::fabs(operands[1].low), std::fabs(operands[1].high));
  return ReduceRange(use, FloatingOf(ResultDType(use)), {-most, most, most / 4}, CountOf(use),
                     results);
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

// The variance is of the input's shape, or the same along the last dimension, which may be left
// out.
bool GaussianInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}}, variance = use.operand(2);
  const Shape& input = use.shape(0);
  if (!IsFloating(type.dtype) || !Broadcast(input, use.shape(1), &type.shape)) return false;
  if (variance.shape != input) {
    if (input.rank() == 0) return false;
    Shape last = input;
    last[input.rank() - 1] = 1;
    if (variance.shape.rank() + 1 == input.rank()) variance.shape.Append(1);
    if (variance.shape != last) return false;
  }
  return Broadcast(type.shape, variance.shape, &type.shape) && Reduce(use, type, results);
}

bool GaussianRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (operands[2].low < 1e-3) return false;
  const Range difference = PlusOf(operands[0], Scaled(operands[1], -1));
  const double far = std::fmax(-difference.low, difference.high);
  const double low = 0.5 * std::log(operands[2].low);
  const double high = 0.5 * (std::log(operands[2].high) + far * far / operands[2].low);
  return ReduceRange(use, ResultDType(use),
                     {low, high, 1 + difference.scale * difference.scale / operands[2].scale},
                     CountOf(use), results);
}

}  // namespace

void AddLosses(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "mse_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {Reduction()},
                   .infer = InferLoss<>,
                   .inputs = InputsAlike<1>,
                   .range = MseRange,
                   .cost = CostPerInput<3>,
                   .scalar = "($0 - $1) * ($0 - $1)",
                   .spellings = {"torch.nn.functional.mse_loss", "torch.nn.MSELoss"},
                   .weight = 2});
  rows->push_back({.name = "l1_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {Reduction()},
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
                   .attributes = {NumberFrom("beta", 1, 0.25, 2), Reduction()},
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
                   .attributes = {NumberFrom("delta", 1, 0.25, 2), Reduction()},
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
       .attributes = {Reduction()},
       .infer = InferAligned,
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
       .attributes = {Reduction()},
       .infer = InferAligned,
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
  rows->push_back({.name = "soft_margin_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {Reduction()},
                   .infer = InferAligned,
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
       .attributes = {NumberFrom("margin", 1, 0.5, 2), Reduction()},
       .infer = InferLoss<>,
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
       .attributes = {NumberFrom("margin", 0, 0, 1), Reduction()},
       .infer = RankingInfer,
       .inputs = RankingInputs,
       .range = RankingRange,
       .cost = CostPerInput<4>,
       .scalar = "{margin} - $2 * ($0 - $1) < 0.0f ? 0.0f : {margin} - $2 * ($0 - $1)",
       .spellings = {"torch.nn.functional.margin_ranking_loss", "torch.nn.MarginRankingLoss"},
       .weight = 0.5});
  rows->push_back({.name = "poisson_nll_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {FlagOf("log_input", true), Fixed("eps", Attribute::Number(1e-8)),
                                  Reduction()},
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
       .attributes = {Fixed("eps", Attribute::Number(1e-6)), Reduction()},
       .infer = GaussianInfer,
       .inputs = GaussianInputs,
       .range = GaussianRange,
       .cost = CostPerInput<6>,
       .scalar = "0.5f * (logf(fmaxf($2, {eps})) + ($0 - $1) * ($0 - $1) / fmaxf($2, {eps}))",
       .spellings = {"torch.nn.functional.gaussian_nll_loss", "torch.nn.GaussianNLLLoss"},
       .weight = 0.5});
}

}  // namespace kernelmill
