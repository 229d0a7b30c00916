// Rows of signs, absolute values and rounding.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

double Abs(double x) { return std::fabs(x); }
double Neg(double x) { return -x; }
double Sign(double x) { return double((x > 0) - (x < 0)); }
double Floor(double x) { return std::floor(x); }
double Ceil(double x) { return std::ceil(x); }
double Trunc(double x) { return std::trunc(x); }
double Round(double x) { return std::nearbyint(x); }
double Degrees(double x) { return x / 57.29577951308232; }
double Radians(double x) { return x * 57.29577951308232; }

bool BitwiseNotRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  const double top = use.operand(0).dtype == DType::kBool    ? 1
                     : use.operand(0).dtype == DType::kUInt8 ? 255
                                                             : -1;
  return AddRange(use.operand(0).dtype, {top - range.high, top - range.low, range.scale + 1},
                  results);
}

std::string_view BitwiseNotScalar(const OperatorUse& use) {
  return use.operand(0).dtype == DType::kBool ? "!$0" : "~$0";
}

}  // namespace

void AddRounding(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "abs",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kNumbers>,
                   .range = RangeValley<Abs, false, 0.0>,
                   .cost = CostPerElement<1>,
                   .scalar = "fabsf($0)",
                   .integral_scalar = "$0 < 0 ? -$0 : $0",
                   .spellings = {"torch.abs", "torch.Tensor.abs", "torch.absolute"},
                   .weight = 2,
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back(
      {.name = "neg",
       .family = kFamily,
       .operands = {{"input"}},
       .infer = InferSame<kNumbers>,
       .range = RangeFalling<Neg, false>,
       .cost = CostPerElement<1>,
       .scalar = "-$0",
       .spellings = {"torch.neg", "torch.Tensor.neg", "torch.Tensor.__neg__", "torch.negative"},
       .weight = 3,
       .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "sign",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kAnyDType>,
                   .range = RangeRising<Sign, false>,
                   .cost = CostPerElement<2>,
                   .scalar = "($0 > 0.0f) - ($0 < 0.0f)",
                   .integral_scalar = "($0 > 0) - ($0 < 0)",
                   .spellings = {"torch.sign", "torch.Tensor.sign"},
                   .weight = 1,
                   .question = ResultQuestion::kSign,
                   .traits = {.jumps = true},
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "floor",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kNumbers>,
                   .range = RangeRising<Floor, false>,
                   .cost = CostPerElement<1>,
                   .scalar = "floorf($0)",
                   .integral_scalar = "$0",
                   .spellings = {"torch.floor", "torch.Tensor.floor"},
                   .weight = 0.7,
                   .question = ResultQuestion::kFloor,
                   .traits = {.jumps = true},
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "ceil",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kNumbers>,
                   .range = RangeRising<Ceil, false>,
                   .cost = CostPerElement<1>,
                   .scalar = "ceilf($0)",
                   .integral_scalar = "$0",
                   .spellings = {"torch.ceil", "torch.Tensor.ceil"},
                   .weight = 0.5,
                   .question = ResultQuestion::kCeiling,
                   .traits = {.jumps = true},
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "trunc",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kNumbers>,
                   .range = RangeRising<Trunc, false>,
                   .cost = CostPerElement<1>,
                   .scalar = "truncf($0)",
                   .integral_scalar = "$0",
                   .spellings = {"torch.trunc", "torch.Tensor.trunc", "torch.fix"},
                   .weight = 0.4,
                   .question = ResultQuestion::kTruncated,
                   .traits = {.jumps = true}});

  rows->push_back({.name = "round",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kNumbers>,
                   .range = RangeRising<Round, false>,
                   .cost = CostPerElement<1>,
                   .scalar = "rintf($0)",
                   .integral_scalar = "$0",
                   .spellings = {"torch.round", "torch.Tensor.round"},
                   .weight = 0.7,
                   .question = ResultQuestion::kRounded,
                   .traits = {.jumps = true},
                   .cpp = {.stands_for_wrapper = true}});

  rows->push_back({.name = "frac",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferSame<kFloats>,
                   .range = RangeOfWave,
                   .cost = CostPerElement<2>,
                   .scalar = "$0 - truncf($0)",
                   .spellings = {"torch.frac", "torch.Tensor.frac"},
                   .weight = 0.3});

  rows->push_back({.name = "deg2rad",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Degrees>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 * 0.017453292f",
                   .spellings = {"torch.deg2rad", "torch.Tensor.deg2rad"},
                   .weight = 0.2});

  rows->push_back({.name = "rad2deg",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeRising<Radians>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 * 57.29578f",
                   .spellings = {"torch.rad2deg", "torch.Tensor.rad2deg"},
                   .weight = 0.2});

  rows->push_back({.name = "sinc",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferFloating<>,
                   .range = RangeOfWave,
                   .cost = CostPerElement<3>,
                   .scalar = "$0 == 0.0f ? 1.0f : sinf(3.14159265f * $0) / (3.14159265f * $0)",
                   .spellings = {"torch.sinc", "torch.Tensor.sinc"},
                   .weight = 0.3,
                   .words = {.like_family = false}});

  rows->push_back(
      {.name = "bitwise_not",
       .family = kFamily,
       .operands = {{"input"}},
       .infer = InferSame < kBools | kInts >,
       .range = BitwiseNotRange,
       .cost = CostPerElement<1>,
       .scalar_of = BitwiseNotScalar,
       .spellings = {"torch.bitwise_not", "torch.Tensor.bitwise_not", "torch.Tensor.__invert__"},
       .weight = 5});
}

}  // namespace kernelmill
