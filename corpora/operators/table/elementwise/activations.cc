// Rows of activation functions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kActivation;
constexpr std::string_view kApproximations[] = {"none", "tanh"};

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }
double Relu(double x) { return x < 0 ? 0 : x; }
double Gelu(double x) { return 0.5 * x * (1 + std::erf(x * 0.7071067811865476)); }
double Silu(double x) { return x * Sigmoid(x); }
double Mish(double x) { return x * std::tanh(Softplus(x)); }
double Selu(double x) {
  return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
}
double LogSigmoid(double x) { return -Softplus(-x); }
double Softsign(double x) { return x / (1 + std::fabs(x)); }
double Tanh(double x) { return std::tanh(x); }
double Tanhshrink(double x) { return x - std::tanh(x); }

std::string_view GeluScalar(const OperatorUse& use) {
  return use.attribute(0).choice() == 0
             ? "0.5f * $0 * (1.0f + erff($0 * 0.70710678f))"
             : "0.5f * $0 * (1.0f + tanhf(0.79788456f * ($0 + 0.044715f * $0 * $0 * $0)))";
}

// The range of a function that is x for positive x, and `f` of x and the attribute otherwise.
template <typename Function>
bool RangeBelowZero(const Function& f, const OperatorUse& use, const Range& range,
                    Ranges* results) {
  const auto g = [&](double x) { return x > 0 ? x : f(x, use.attribute(0).number()); };
  const double low = g(range.low), high = g(range.high);
  // A negative slope reverses the order; 0 may be an extremum.
  const double corners[] = {low, high, g(std::fmin(std::fmax(0, range.low), range.high))};
  return AddRange(use.operand(0).dtype,
                  RangeOfFunction(g, range, *std::min_element(corners, corners + 3),
                                  *std::max_element(corners, corners + 3)),
                  results);
}

bool LeakyReluRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return RangeBelowZero([](double x, double slope) { return slope * x; }, use, operands[0],
                        results);
}

bool EluRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return RangeBelowZero([](double x, double alpha) { return alpha * std::expm1(x); }, use,
                        operands[0], results);
}

bool CeluRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return use.attribute(0).number() != 0 &&
         RangeBelowZero([](double x, double alpha) { return alpha * std::expm1(x / alpha); }, use,
                        operands[0], results);
}

bool CeluInfer(const OperatorUse& use, Types* results) {
  return use.attribute(0).number() != 0 && InferSame<kFloats>(use, results);
}

bool SoftplusRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double beta = use.attribute(0).number(), threshold = use.attribute(1).number();
  if (beta <= 0 || threshold > 80) return false;
  const auto f = [&](double x) {
    return beta * x > threshold ? x : std::log1p(std::exp(beta * x)) / beta;
  };
  const Range& range = operands[0];
  // The function may decrease where x passes the threshold.
  const double high =
      std::fmax(f(range.high), range.high > threshold / beta ? f(threshold / beta) : 0);
  return AddRange(use.operand(0).dtype, RangeOfFunction(f, range, f(range.low), high), results);
}

// The weight is one slope, or one per channel (dimension 1).
bool PreluInfer(const OperatorUse& use, Types* results) {
  if (!use.Has(1) || use.operand(1).dtype != use.operand(0).dtype) return false;
  const Shape& weight = use.shape(1);
  if (weight.rank() > 1 || use.attribute(0).integer() != weight.Elements()) return false;
  if (weight.rank() == 1 && weight[0] != 1) {
    const Shape& input = use.shape(0);
    if (input.rank() == 0 || weight[0] != (input.rank() == 1 ? 1 : input[1])) return false;
  }
  return InferSame<kFloats>(use, results);
}

bool PreluParameters(const OperatorUse& use, Types* types) {
  types->push_back({use.operand(0).dtype, {use.attribute(0).integer()}});
  return true;
}

bool PreluPropose(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  attributes[0] = Attribute::Size(shape.rank() > 1 && draw->Chance(0.5) ? shape[1] : 1);
  return true;
}

bool PreluRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(use.operand(0).dtype, HullOf(operands[0], ProductOf(operands[0], operands[1])),
                  results);
}

bool GluInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const Shape& shape = use.shape(0);
  if (shape.rank() == 0 || !WrapDimension(use.integer(0), shape.rank(), &dim) ||
      shape[dim] % 2 != 0) {
    return false;
  }
  if (!InferSame<kFloats>(use, results)) return false;
  results->back().shape[dim] /= 2;
  return true;
}

bool GluRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  return AddRange(use.operand(0).dtype,
                  {std::fmin(range.low, 0), std::fmax(range.high, 0), 0.55 * range.scale}, results);
}

}  // namespace

void AddActivations(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "relu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kNumbers>,
                   .range = RangeRising<Relu, false>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 < 0.0f ? 0.0f : $0",
                   .integral_scalar = "$0 < 0 ? 0 : $0",
                   .spellings = {"torch.nn.functional.relu", "torch.relu", "torch.Tensor.relu",
                                 "torch.nn.ReLU"},
                   .weight = 44,
                   .question = ResultQuestion::kPositive,
                   .words = {.member = "relu"},
                   .cpp = {.refused = {"relu", "relu_"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "leaky_relu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {NumberWithDefault("negative_slope", 0.01, 0.01, 0.5)},
                   .infer = InferSame<kFloats>,
                   .range = LeakyReluRange,
                   .cost = CostPerElement<2>,
                   .scalar = "$0 > 0.0f ? $0 : $0 * {negative_slope}",
                   .spellings = {"torch.nn.functional.leaky_relu", "torch.nn.LeakyReLU"},
                   .weight = 9,
                   .sampler = {.follower = 1.5},
                   .words = {.member = "leaky_relu"}});
  // $1 is the only slope or that of the element's channel.
  rows->push_back({.name = "prelu",
                   .family = kFamily,
                   .operands = {{"input"}, {"weight", OperandRow::Role::kParameter}},
                   .attributes = {ModuleOnly(
                       Proposed("num_parameters", Attribute::Kind::kSize, Attribute::Size(1)))},
                   .infer = PreluInfer,
                   .parameters = PreluParameters,
                   .propose = PreluPropose,
                   .range = PreluRange,
                   .cost = CostPerElement<2>,
                   .scalar = "$0 > 0.0f ? $0 : $1 * $0",
                   .spellings = {"torch.nn.functional.prelu", "torch.prelu", "torch.Tensor.prelu",
                                 "torch.nn.PReLU"},
                   .weight = 1,
                   .words = {.like_family = false}});
  rows->push_back({.name = "elu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {NumberWithDefault("alpha", 1, 0.25, 2)},
                   .infer = InferSame<kFloats>,
                   .range = EluRange,
                   .cost = CostPerElement<3>,
                   .scalar = "$0 > 0.0f ? $0 : {alpha} * expm1f($0)",
                   .spellings = {"torch.nn.functional.elu", "torch.nn.ELU"},
                   .weight = 1});
  rows->push_back({.name = "selu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kFloats>,
                   .range = RangeRising<Selu>,
                   .cost = CostPerElement<3>,
                   .scalar = "1.05070099f * ($0 > 0.0f ? $0 : 1.67326324f * expm1f($0))",
                   .spellings = {"torch.nn.functional.selu", "torch.selu", "torch.nn.SELU"},
                   .weight = 1});
  rows->push_back({.name = "celu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {NumberWithDefault("alpha", 1, 0.25, 2)},
                   .infer = CeluInfer,
                   .range = CeluRange,
                   .cost = CostPerElement<4>,
                   .scalar = "$0 > 0.0f ? $0 : {alpha} * expm1f($0 / {alpha})",
                   .spellings = {"torch.nn.functional.celu", "torch.celu", "torch.nn.CELU"},
                   .weight = 0.5});
  rows->push_back({.name = "gelu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {KeywordOnly(ChoiceOf("approximate", kApproximations))},
                   .infer = InferSame<kFloats>,
                   .range = RangeValley<Gelu, true, -0.7517916>,
                   .cost = CostPerElement<5>,
                   .scalar_of = GeluScalar,
                   .spellings = {"torch.nn.functional.gelu", "torch.nn.GELU"},
                   .weight = 28,
                   .words = {.member = "gelu"},
                   .cpp = {.refused = {"gelu"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "silu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kFloats>,
                   .range = RangeValley<Silu, true, -1.2784645>,
                   .cost = CostPerElement<4>,
                   .scalar = "$0 / (1.0f + expf(-$0))",
                   .spellings = {"torch.nn.functional.silu", "torch.nn.SiLU"},
                   .weight = 5,
                   .sampler = {.follower = 0.5},
                   .words = {.member = "silu"},
                   .cpp = {.refused = {"silu"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "mish",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kFloats>,
                   .range = RangeValley<Mish, true, -1.1924312>,
                   .cost = CostPerElement<5>,
                   .scalar = "$0 * tanhf(log1pf(expf($0)))",
                   .spellings = {"torch.nn.functional.mish", "torch.nn.Mish"},
                   .weight = 8,
                   .sampler = {.follower = 1.5}});
  rows->push_back({.name = "softplus",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {NumberWithDefault("beta", 1, 0.5, 2),
                                  NumberWithDefault("threshold", 20, 5, 30)},
                   .infer = InferSame<kFloats>,
                   .range = SoftplusRange,
                   .cost = CostPerElement<5>,
                   .scalar = "{beta} * $0 > {threshold} ? $0 : log1pf(expf({beta} * $0)) / {beta}",
                   .spellings = {"torch.nn.functional.softplus", "torch.nn.Softplus"},
                   .weight = 2,
                   .cpp = {.stands_for_wrapper = true}});
  rows->push_back({.name = "softsign",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<kNumbers>,
                   .range = RangeRising<Softsign>,
                   .cost = CostPerElement<3>,
                   .scalar = "$0 / (1.0f + fabsf($0))",
                   .spellings = {"torch.nn.functional.softsign", "torch.nn.Softsign"},
                   .weight = 1});
  rows->push_back({.name = "tanh",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Tanh>,
                   .cost = CostPerElement<1>,
                   .scalar = "tanhf($0)",
                   .spellings = {"torch.tanh", "torch.Tensor.tanh", "torch.nn.functional.tanh",
                                 "torch.nn.Tanh"},
                   .weight = 27,
                   .sampler = {.follower = 1.5},
                   .words = {.member = "tanh"},
                   .cpp = {.refused = {"tanh"}, .stands_for_wrapper = true}});
  rows->push_back(
      {.name = "sigmoid",
       .family = kFamily,
       .operands = {{"input"}},
       .infer = InferFloating<>,
       .range = RangeRising<Sigmoid>,
       .cost = CostPerElement<3>,
       .scalar = "1.0f / (1.0f + expf(-$0))",
       .spellings = {"torch.sigmoid", "torch.Tensor.sigmoid", "torch.nn.functional.sigmoid",
                     "torch.nn.Sigmoid", "torch.special.expit"},
       .weight = 23,
       .sampler = {.follower = 1.5},
       .words = {.member = "sigmoid", .result = "gate"},
       .cpp = {.refused = {"sigmoid"}, .stands_for_wrapper = true}});
  rows->push_back({.name = "logsigmoid",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kFloats>,
                   .range = RangeRising<LogSigmoid>,
                   .cost = CostPerElement<4>,
                   .scalar = "($0 < 0.0f ? $0 : 0.0f) - log1pf(expf(-fabsf($0)))",
                   .spellings = {"torch.nn.functional.logsigmoid", "torch.nn.LogSigmoid"},
                   .weight = 1});
  rows->push_back({.name = "tanhshrink",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<kNumbers>,
                   .range = RangeRising<Tanhshrink>,
                   .cost = CostPerElement<2>,
                   .scalar = "$0 - tanhf($0)",
                   .spellings = {"torch.nn.functional.tanhshrink", "torch.nn.Tanhshrink"},
                   .weight = 0.5});
  rows->push_back({.name = "glu",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension("dim", Attribute::Integer(-1))},
                   .infer = GluInfer,
                   .range = GluRange,
                   .cost = CostPerElement<5>,
                   .spellings = {"torch.nn.functional.glu", "torch.nn.GLU"},
                   .weight = 1,
                   .words = {.formula = "y = a / (1 + exp(-b))",
                             .note = "with a and b the halves of the input",
                             .like_family = false}});
}

}  // namespace kernelmill
