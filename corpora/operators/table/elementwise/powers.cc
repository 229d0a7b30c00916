// Rows of exponentials, powers and logarithms of one tensor.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

double Exp(double x) { return std::exp(x); }
double Exp2(double x) { return std::exp2(x); }
double Expm1(double x) { return std::expm1(x); }
double Log(double x) { return std::log(x); }
double Log2(double x) { return std::log2(x); }
double Log10(double x) { return std::log10(x); }
double Log1p(double x) { return std::log1p(x); }
double Sqrt(double x) { return std::sqrt(x); }
double Rsqrt(double x) { return 1 / std::sqrt(x); }
double Square(double x) { return x * x; }

// The square of a bool is an int64.
bool InferSquare(const OperatorUse& use, Types* results) {
  results->push_back(use.operand(0));
  if (results->back().dtype == DType::kBool) results->back().dtype = DType::kInt64;
  return true;
}

bool ReciprocalRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  if (range.low < 1e-6 && range.high > -1e-6) return false;
  return AddRange(
      FloatingOf(use.operand(0).dtype),
      RangeOfFunction([](double x) { return 1 / x; }, range, 1 / range.high, 1 / range.low),
      results);
}

}  // namespace

void AddPowers(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "exp",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Exp>,
                   .cost = CostPerElement<1>,
                   .scalar = "expf($0)",
                   .spellings = {"torch.exp", "torch.Tensor.exp"},
                   .weight = 5,
                   .sampler = {.follower = 2.6},
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "exp2",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Exp2>,
                   .cost = CostPerElement<1>,
                   .scalar = "exp2f($0)",
                   .spellings = {"torch.exp2", "torch.Tensor.exp2"},
                   .weight = 0.5});

  rows->push_back({.name = "expm1",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Expm1>,
                   .cost = CostPerElement<1>,
                   .scalar = "expm1f($0)",
                   .spellings = {"torch.expm1", "torch.Tensor.expm1"},
                   .weight = 0.5,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "log",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<0.01, 10.0>,
                   .range = RangeRisingWithin<Log, 1e-30, HUGE_VAL>,
                   .cost = CostPerElement<1>,
                   .scalar = "logf($0)",
                   .spellings = {"torch.log", "torch.Tensor.log"},
                   .weight = 2,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "log2",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<0.01, 10.0>,
                   .range = RangeRisingWithin<Log2, 1e-30, HUGE_VAL>,
                   .cost = CostPerElement<1>,
                   .scalar = "log2f($0)",
                   .spellings = {"torch.log2", "torch.Tensor.log2"},
                   .weight = 1});

  rows->push_back({.name = "log10",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<0.01, 10.0>,
                   .range = RangeRisingWithin<Log10, 1e-30, HUGE_VAL>,
                   .cost = CostPerElement<1>,
                   .scalar = "log10f($0)",
                   .spellings = {"torch.log10", "torch.Tensor.log10"},
                   .weight = 0.5});

  rows->push_back({.name = "log1p",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<-0.5, 10.0>,
                   .range = RangeRisingWithin<Log1p, -0.999999, HUGE_VAL>,
                   .cost = CostPerElement<1>,
                   .scalar = "log1pf($0)",
                   .spellings = {"torch.log1p", "torch.Tensor.log1p"},
                   .weight = 1,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "sqrt",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<0.0, 10.0>,
                   .range = RangeRisingWithin<Sqrt, 0.0, HUGE_VAL>,
                   .cost = CostPerElement<1>,
                   .scalar = "sqrtf($0)",
                   .spellings = {"torch.sqrt", "torch.Tensor.sqrt"},
                   .weight = 2,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "rsqrt",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<0.01, 10.0>,
                   .range = RangeFallingWithin<Rsqrt, 1e-30, HUGE_VAL>,
                   .cost = CostPerElement<2>,
                   .scalar = "1.0f / sqrtf($0)",
                   .spellings = {"torch.rsqrt", "torch.Tensor.rsqrt"},
                   .weight = 3,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "square",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSquare,
                   .range = RangeValley<Square, false, 0.0>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 * $0",
                   .spellings = {"torch.square", "torch.Tensor.square"},
                   .weight = 3,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "reciprocal",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .inputs = InputWithin<0.1, 10.0>,
                   .range = ReciprocalRange,
                   .cost = CostPerElement<1>,
                   .scalar = "1.0f / $0",
                   .spellings = {"torch.reciprocal", "torch.Tensor.reciprocal"},
                   .weight = 1,
                   .cpp = {.stands_for_wrapper = true}});
}

}  // namespace kernelmill
