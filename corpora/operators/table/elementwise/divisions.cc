// Rows of elementwise quotients, remainders and powers of two tensors.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

// Exact floor division: the remainder by fmod is subtracted before the division.
constexpr std::string_view kFloorOfFloats =
    "$1 == 0.0f ? $0 / $1 : rintf(($0 - fmodf($0, $1)) / $1 - (fmodf($0, $1) != 0.0f && (fmodf($0, "
    "$1) < 0.0f) != ($1 < 0.0f)))";
constexpr std::string_view kFloorOfIntegers = "$0 / $1 - ($0 % $1 != 0 && ($0 < 0) != ($1 < 0))";

constexpr std::string_view kRoundings[] = {"trunc", "floor"};

// Keeps divisors away from 0.
bool InputsDivided(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  AppendBroadcast(draw, 1, inputs);
  NewTensor& divisor = (*inputs)[1];
  divisor.range = divisor.type.dtype == DType::kBool ? Range::Constant(1)
                  : IsFloating(divisor.type.dtype)   ? Range::Uniform(0.5, 3)
                                                     : Range::Uniform(1, 9);
  return true;
}

Range QuotientOf(const Range& a, const Range& b) {
  return ProductOf(a,
                   {1 / b.high, 1 / b.low, std::fmax(std::fabs(1 / b.low), std::fabs(1 / b.high))});
}
bool NearZero(const Range& range) { return range.low < 1e-6 && range.high > -1e-6; }

bool DivInfer(const OperatorUse& use, Types* results) {
  if (!InferBroadcast<kAnyDType>(use, results)) return false;
  if (use.attribute(0).is_none()) {
    results->back().dtype = FloatingOf(results->back().dtype);
  }
  return use.attribute(0).is_none() || results->back().dtype != DType::kBool;
}

bool DivPropose(Draw* draw, std::span<const TensorType* const>, std::span<Attribute> attributes) {
  if (draw->Chance(0.2)) attributes[0] = Attribute::Choice(int(draw->Index(2)));
  return true;
}

std::string_view DivScalar(const OperatorUse& use) {
  if (use.attribute(0).is_none()) return "$0 / $1";
  const bool floating = IsFloating(ResultDType(use));
  if (use.attribute(0).choice() == 0) return floating ? "truncf($0 / $1)" : "$0 / $1";
  return floating ? kFloorOfFloats : kFloorOfIntegers;
}

bool DivRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (NearZero(operands[1])) return false;
  Range range = QuotientOf(operands[0], operands[1]);
  DType dtype = ResultDType(use);
  if (use.attribute(0).is_none()) {
    dtype = FloatingOf(dtype);
  } else {
    range.low = std::floor(range.low);
    range.high = std::ceil(range.high);
  }
  return AddRange(dtype, range, results);
}

bool FloorDivideRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (NearZero(operands[1])) return false;
  Range range = QuotientOf(operands[0], operands[1]);
  range.low = std::floor(range.low);
  range.high = std::floor(range.high);
  return AddRange(ResultDType(use), range, results);
}

// The result has the sign of the divisor (remainder) or of the dividend (fmod), and is smaller than
// the divisor.
template <bool of_divisor>
bool RemainderRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (NearZero(operands[1])) return false;
  const double bound = std::fmax(std::fabs(operands[1].low), std::fabs(operands[1].high));
  const Range& sign = operands[of_divisor ? 1 : 0];
  return AddRange(ResultDType(use),
                  {sign.low < 0 ? -bound : 0, sign.high > 0 ? bound : 0, 0.58 * bound}, results);
}

bool Atan2Range(const OperatorUse&, std::span<const Range>, Ranges* results) {
  results->push_back({-3.1415927, 3.1415927, 1.8});
  return true;
}

bool CopysignRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double bound = std::fmax(std::fabs(operands[0].low), std::fabs(operands[0].high));
  return AddRange(FloatingOf(ResultDType(use)), {-bound, bound, operands[0].scale}, results);
}

bool AddcdivInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  AppendBroadcast(draw, 2, inputs);
  (*inputs)[2].range = Range::Uniform(1, 4);
  return true;
}

bool AddcdivRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return !NearZero(operands[2]) &&
         AddRange(ResultDType(use),
                  PlusOf(operands[0],
                         Scaled(QuotientOf(operands[1], operands[2]), use.attribute(0).number())),
                  results);
}

bool XlogyInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  AppendBroadcast(draw, 1, inputs);
  if ((*inputs)[1].type.dtype != DType::kBool)
    NarrowRange(0.5, 9, &(*inputs)[1]);
  else
    (*inputs)[1].range = Range::Constant(1);
  return true;
}

bool XlogyRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (operands[1].low < 1e-30) return false;
  const double low = std::log(operands[1].low), high = std::log(operands[1].high);
  return AddRange(
      FloatingOf(ResultDType(use)),
      ProductOf(operands[0], {low, high, std::fmax(std::fabs(low), std::fabs(high)) / 2}), results);
}

bool HeavisideRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(use.operand(0).dtype,
                  {std::fmin(0, operands[1].low), std::fmax(1, operands[1].high), 0.7}, results);
}

bool HeavisideInfer(const OperatorUse& use, Types* results) {
  return use.operand(0).dtype == use.operand(1).dtype && InferBroadcast<kAnyDType>(use, results);
}

bool PowInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  AppendBroadcast(draw, 1, inputs);
  const DType dtype = (*inputs)[0].type.dtype;
  if (IsFloating(dtype)) {
    NarrowRange(0.1, 5, &(*inputs)[0]);
    (*inputs)[1].range = Range::Uniform(-2, 3);
  } else if (dtype != DType::kBool) {
    NarrowRange(0, 5, &(*inputs)[0]);
    (*inputs)[1].range = Range::Uniform(0, 3);
  }
  return true;
}

bool PowRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range &base = operands[0], &exponent = operands[1];
  const DType dtype = ResultDType(use);
  if (IsFloating(dtype) ? base.low < 1e-6 : base.low < 0 || exponent.low < 0) return false;
  double low = HUGE_VAL, high = 0;
  for (const double x : {base.low, base.high}) {
    for (const double y : {exponent.low, exponent.high}) {
      low = std::fmin(low, std::pow(x, y));
      high = std::fmax(high, std::pow(x, y));
    }
  }
  const auto typical = [&](double y) { return std::pow(std::fmax(base.scale, 1e-6), y); };
  // An integer power that wraps around differs from pow in double precision.
  if (!IsFloating(dtype) && high > 2e9) return false;
  return AddRange(dtype, {low, high, RangeOfFunction(typical, exponent, low, high).scale}, results);
}

bool PowInfer(const OperatorUse& use, Types* results) {
  return InferBroadcast<kNumbers>(use, results);
}

}  // namespace

void AddDivisions(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "div",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .attributes = {KeywordOnly({"rounding_mode",
                                   Attribute::Kind::kChoice,
                                   {},
                                   {AttributeDraw::Kind::kProposed},
                                   kRoundings})},
       .infer = DivInfer,
       .propose = DivPropose,
       .inputs = InputsDivided,
       .range = DivRange,
       .cost = CostPerElement<1>,
       .scalar_of = DivScalar,
       .spellings = {"torch.div", "torch.Tensor.div", "torch.Tensor.__truediv__", "torch.divide"},
       .weight = 12,
       .cpp = {.stands_for_wrapper = true}});
  rows->push_back({.name = "floor_divide",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferBroadcast<kNumbers>,
                   .inputs = InputsDivided,
                   .range = FloorDivideRange,
                   .cost = CostPerElement<2>,
                   .scalar = kFloorOfFloats,
                   .integral_scalar = kFloorOfIntegers,
                   .spellings = {"torch.floor_divide", "torch.Tensor.floor_divide",
                                 "torch.Tensor.__floordiv__"},
                   .weight = 0.7,
                   .traits = {.jumps = true}});
  rows->push_back(
      {.name = "remainder",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast<kNumbers>,
       .inputs = InputsDivided,
       .range = RemainderRange<true>,
       .cost = CostPerElement<3>,
       .scalar = "fmodf($0, $1) + (fmodf($0, $1) != 0.0f && (fmodf($0, $1) < 0.0f) != ($1 < 0.0f) "
                 "? $1 : 0.0f)",
       .integral_scalar = "$0 % $1 + ($0 % $1 != 0 && ($0 % $1 < 0) != ($1 < 0) ? $1 : 0)",
       .spellings = {"torch.remainder", "torch.Tensor.remainder", "torch.Tensor.__mod__"},
       .weight = 0.7,
       .traits = {.jumps = true}});
  rows->push_back({.name = "fmod",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferBroadcast<kNumbers>,
                   .inputs = InputsDivided,
                   .range = RemainderRange<false>,
                   .cost = CostPerElement<2>,
                   .scalar = "fmodf($0, $1)",
                   .integral_scalar = "$0 % $1",
                   .spellings = {"torch.fmod", "torch.Tensor.fmod"},
                   .weight = 0.4,
                   .traits = {.jumps = true}});
  rows->push_back({.name = "pow",
                   .family = kFamily,
                   .operands = {{"input"}, {"exponent"}},
                   .infer = PowInfer,
                   .inputs = PowInputs,
                   .range = PowRange,
                   .cost = CostPerElement<1>,
                   .scalar = "powf($0, $1)",
                   .integral_scalar = "(long long)rint(pow((double)$0, (double)$1))",
                   .spellings = {"torch.pow", "torch.Tensor.pow", "torch.Tensor.__pow__"},
                   .weight = 1});
  rows->push_back({.name = "atan2",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferFloatingBroadcast<>,
                   .inputs = InputsBroadcast<1>,
                   .range = Atan2Range,
                   .cost = CostPerElement<2>,
                   .scalar = "atan2f($0, $1)",
                   .spellings = {"torch.atan2", "torch.Tensor.atan2", "torch.arctan2"},
                   .weight = 0.3});
  rows->push_back({.name = "copysign",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferFloatingBroadcast<>,
                   .inputs = InputsBroadcast<1>,
                   .range = CopysignRange,
                   .cost = CostPerElement<1>,
                   .scalar = "copysignf($0, $1)",
                   .spellings = {"torch.copysign", "torch.Tensor.copysign"},
                   .weight = 0.3});
  rows->push_back({.name = "addcdiv",
                   .family = kFamily,
                   .operands = {{"input"}, {"tensor1"}, {"tensor2"}},
                   .attributes = {KeywordOnly(NumberWithDefault("value", 1, -2, 2))},
                   .infer = InferBroadcast<kFloats>,
                   .inputs = AddcdivInputs,
                   .range = AddcdivRange,
                   .cost = CostPerElement<3>,
                   .scalar = "$0 + {value} * ($1 / $2)",
                   .spellings = {"torch.addcdiv", "torch.Tensor.addcdiv"},
                   .weight = 0.5});
  rows->push_back({.name = "xlogy",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferFloatingBroadcast<>,
                   .inputs = XlogyInputs,
                   .range = XlogyRange,
                   .cost = CostPerElement<2>,
                   .scalar = "$1 != $1 ? $1 : $0 == 0.0f ? 0.0f : $0 * logf($1)",
                   .spellings = {"torch.xlogy", "torch.Tensor.xlogy", "torch.special.xlogy"},
                   .weight = 0.3});
  rows->push_back({.name = "heaviside",
                   .family = kFamily,
                   .operands = {{"input"}, {"values"}},
                   .infer = HeavisideInfer,
                   .inputs = InputsBroadcast<1>,
                   .range = HeavisideRange,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 == 0.0f ? $1 : $0 > 0.0f",
                   .integral_scalar = "$0 == 0 ? $1 : $0 < 0 ? 0 : 1",
                   .spellings = {"torch.heaviside", "torch.Tensor.heaviside"},
                   .weight = 0.3,
                   .question = ResultQuestion::kSign});
}

}  // namespace kernelmill
