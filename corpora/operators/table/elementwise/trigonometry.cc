// Rows of trigonometric, hyperbolic and special functions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

double Tan(double x) { return std::tan(x); }
double Asin(double x) { return std::asin(x); }
double Acos(double x) { return std::acos(x); }
double Atan(double x) { return std::atan(x); }
double Sinh(double x) { return std::sinh(x); }
double Cosh(double x) { return std::cosh(x); }
double Asinh(double x) { return std::asinh(x); }
double Acosh(double x) { return std::acosh(x); }
double Atanh(double x) { return std::atanh(x); }
double Erf(double x) { return std::erf(x); }
double Erfc(double x) { return std::erfc(x); }

// lgamma decreases to -0.13 at 1.46 and increases from there.
bool LgammaRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const auto f = [](double x) {
    int sign = 0;
    return lgamma_r(x, &sign);
  };
  const Range& range = operands[0];
  if (range.low < 1e-6) return false;
  const double least = std::fmin(std::fmax(1.4616321449683622, range.low), range.high);
  return AddRange(FloatingOf(use.operand(0).dtype),
                  RangeOfFunction(f, range, f(least), std::fmax(f(range.low), f(range.high))),
                  results);
}

}  // namespace

void AddTrigonometry(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "sin",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeOfWave,
                   .cost = CostPerElement<1>,
                   .scalar = "sinf($0)",
                   .spellings = {"torch.sin", "torch.Tensor.sin"},
                   .weight = 0.7,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "cos",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeOfWave,
                   .cost = CostPerElement<1>,
                   .scalar = "cosf($0)",
                   .spellings = {"torch.cos", "torch.Tensor.cos"},
                   .weight = 0.7,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "tan",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<-1.0, 1.0>,
                   .range = RangeRisingWithin<Tan, -1.57, 1.57>,
                   .cost = CostPerElement<1>,
                   .scalar = "tanf($0)",
                   .spellings = {"torch.tan", "torch.Tensor.tan"},
                   .weight = 0.3});

  rows->push_back({.name = "asin",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<-1.0, 1.0>,
                   .range = RangeRisingWithin<Asin, -1.0, 1.0>,
                   .cost = CostPerElement<1>,
                   .scalar = "asinf($0)",
                   .spellings = {"torch.asin", "torch.Tensor.asin", "torch.arcsin"},
                   .weight = 0.3});

  rows->push_back({.name = "acos",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<-1.0, 1.0>,
                   .range = RangeFallingWithin<Acos, -1.0, 1.0>,
                   .cost = CostPerElement<1>,
                   .scalar = "acosf($0)",
                   .spellings = {"torch.acos", "torch.Tensor.acos", "torch.arccos"},
                   .weight = 0.3});

  rows->push_back({.name = "atan",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Atan>,
                   .cost = CostPerElement<1>,
                   .scalar = "atanf($0)",
                   .spellings = {"torch.atan", "torch.Tensor.atan", "torch.arctan"},
                   .weight = 0.4});

  rows->push_back({.name = "sinh",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Sinh>,
                   .cost = CostPerElement<1>,
                   .scalar = "sinhf($0)",
                   .spellings = {"torch.sinh", "torch.Tensor.sinh"},
                   .weight = 0.3});

  rows->push_back({.name = "cosh",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeValley<Cosh, true, 0.0>,
                   .cost = CostPerElement<1>,
                   .scalar = "coshf($0)",
                   .spellings = {"torch.cosh", "torch.Tensor.cosh"},
                   .weight = 0.3});

  rows->push_back({.name = "asinh",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Asinh>,
                   .cost = CostPerElement<1>,
                   .scalar = "asinhf($0)",
                   .spellings = {"torch.asinh", "torch.Tensor.asinh"},
                   .weight = 0.3});

  rows->push_back({.name = "acosh",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<1.0, 10.0>,
                   .range = RangeRisingWithin<Acosh, 1.0, HUGE_VAL>,
                   .cost = CostPerElement<1>,
                   .scalar = "acoshf($0)",
                   .spellings = {"torch.acosh", "torch.Tensor.acosh"},
                   .weight = 0.3});

  rows->push_back({.name = "atanh",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<-0.5, 0.5>,
                   .range = RangeRisingWithin<Atanh, -0.999999, 0.999999>,
                   .cost = CostPerElement<1>,
                   .scalar = "atanhf($0)",
                   .spellings = {"torch.atanh", "torch.Tensor.atanh"},
                   .weight = 0.3});

  rows->push_back({.name = "erf",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Erf>,
                   .cost = CostPerElement<1>,
                   .scalar = "erff($0)",
                   .spellings = {"torch.erf", "torch.Tensor.erf", "torch.special.erf"},
                   .weight = 0.7,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "erfc",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeFalling<Erfc>,
                   .cost = CostPerElement<1>,
                   .scalar = "erfcf($0)",
                   .spellings = {"torch.erfc", "torch.Tensor.erfc", "torch.special.erfc"},
                   .weight = 0.3});

  rows->push_back({.name = "lgamma",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<0.5, 10.0>,
                   .range = LgammaRange,
                   .cost = CostPerElement<1>,
                   .scalar = "lgammaf($0)",
                   .spellings = {"torch.lgamma", "torch.Tensor.lgamma", "torch.special.gammaln"},
                   .weight = 0.3});
}

}  // namespace kernelmill
