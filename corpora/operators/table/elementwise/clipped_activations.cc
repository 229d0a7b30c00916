// Rows of piecewise linear activations: hardtanh, hardswish, softshrink and similar functions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kActivation;

double Relu6(double x) { return std::fmin(std::fmax(x, 0), 6); }
double Hardswish(double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }
double Hardsigmoid(double x) { return std::fmin(std::fmax(x + 3, 0), 6) / 6; }

// Results are zero in [-lambd, lambd], and elsewhere no further from 0 than the operand.
bool ShrinkRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(
      use.operand(0).dtype,
      {std::fmin(operands[0].low, 0), std::fmax(operands[0].high, 0), operands[0].scale}, results);
}

bool SoftshrinkInfer(const OperatorUse& use, Types* results) {
  return use.attribute(0).number() >= 0 && InferSame<kFloats>(use, results);
}

bool HardtanhInfer(const OperatorUse& use, Types* results) {
  const double low = use.attribute(0).number(), high = use.attribute(1).number();
  return low <= high && (low > -1 || use.operand(0).dtype != DType::kUInt8) &&
         InferSame<kNumbers>(use, results);
}

bool HardtanhRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const auto f = [&](double x) {
    return std::fmin(std::fmax(x, use.attribute(0).number()), use.attribute(1).number());
  };
  return AddRange(use.operand(0).dtype,
                  RangeOfFunction(f, operands[0], f(operands[0].low), f(operands[0].high)),
                  results);
}

// uint8 has no negative numbers.
bool ThresholdInfer(const OperatorUse& use, Types* results) {
  if (use.operand(0).dtype == DType::kUInt8 &&
      (use.attribute(0).number() < 0 || use.attribute(1).number() < 0)) {
    return false;
  }
  return InferSame<kNumbers>(use, results);
}

bool ThresholdRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double value = use.attribute(1).number();
  return AddRange(use.operand(0).dtype,
                  {std::fmin(operands[0].low, value), std::fmax(operands[0].high, value),
                   std::fmax(operands[0].scale, std::fabs(value))},
                  results);
}

std::string_view SameAsHardtanh(const OperatorUse&, const TensorType&,
                                std::vector<Attribute>* attributes) {
  *attributes = {Attribute::Integer(0), Attribute::Integer(6)};
  return "hardtanh";
}

}  // namespace

void AddClippedActivations(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "relu6",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kNumbers>,
                   .range = RangeRising<Relu6, false>,
                   .cost = CostPerElement<2>,
                   .scalar = "$0 < 0.0f ? 0.0f : $0 > 6.0f ? 6.0f : $0",
                   .integral_scalar = "$0 < 0 ? 0 : $0 > 6 ? 6 : $0",
                   .spellings = {"torch.nn.functional.relu6", "torch.nn.ReLU6"},
                   .weight = 4,
                   .same_as = SameAsHardtanh});
  rows->push_back(
      {.name = "softshrink",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {NumberWithDefault("lambd", 0.5, 0, 1)},
       .infer = SoftshrinkInfer,
       .range = ShrinkRange,
       .cost = CostPerElement<2>,
       .scalar = "$0 > {lambd} ? $0 - {lambd} : $0 < -{lambd} ? $0 + {lambd} : 0.0f * $0",
       .spellings = {"torch.nn.functional.softshrink", "torch.nn.Softshrink"},
       .weight = 0.5});
  rows->push_back(
      {.name = "hardshrink",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {NumberWithDefault("lambd", 0.5, 0, 1)},
       .infer = InferSame<kFloats>,
       .range = ShrinkRange,
       .cost = CostPerElement<2>,
       .scalar = "$0 >= -{lambd} && $0 <= {lambd} ? 0.0f : $0",
       .rounds_numbers = true,
       .spellings = {"torch.nn.functional.hardshrink", "torch.hardshrink", "torch.nn.Hardshrink"},
       .weight = 0.5});
  rows->push_back({.name = "hardtanh",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {NumberWithDefault("min_val", -1, -2, 0),
                                  NumberWithDefault("max_val", 1, 0.5, 6)},
                   .infer = HardtanhInfer,
                   .range = HardtanhRange,
                   .cost = CostPerElement<2>,
                   .scalar = "$0 < {min_val} ? {min_val} : $0 > {max_val} ? {max_val} : $0",
                   .spellings = {"torch.nn.functional.hardtanh", "torch.nn.Hardtanh"},
                   .weight = 11,
                   .sampler = {.follower = 1.8},
                   .question = ResultQuestion::kBounds});
  rows->push_back({.name = "hardsigmoid",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kFloats>,
                   .range = RangeRising<Hardsigmoid>,
                   .cost = CostPerElement<4>,
                   .scalar = "($0 < -3.0f ? 0.0f : $0 > 3.0f ? 6.0f : $0 + 3.0f) / 6.0f",
                   .spellings = {"torch.nn.functional.hardsigmoid", "torch.nn.Hardsigmoid"},
                   .weight = 1});
  rows->push_back({.name = "hardswish",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kFloats>,
                   .range = RangeValley<Hardswish, true, -1.5>,
                   .cost = CostPerElement<5>,
                   .scalar = "$0 * ($0 < -3.0f ? 0.0f : $0 > 3.0f ? 6.0f : $0 + 3.0f) / 6.0f",
                   .spellings = {"torch.nn.functional.hardswish", "torch.nn.Hardswish"},
                   .weight = 6});
  rows->push_back(
      {.name = "threshold",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {NumberWithoutDefault("threshold", -1, 1),
                      NumberWithoutDefault("value", -2, 2)},
       .infer = ThresholdInfer,
       .range = ThresholdRange,
       .cost = CostPerElement<1>,
       .scalar = "$0 <= {threshold} ? {value} : $0",
       .spellings = {"torch.nn.functional.threshold", "torch.threshold", "torch.nn.Threshold"},
       .weight = 0.5});
}

}  // namespace kernelmill
