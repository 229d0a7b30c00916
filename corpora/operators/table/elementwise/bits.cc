// Rows of bitwise operators on integers.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

bool BitsRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  // Results are below the next power of two of both operands, on each side of 0.
  const auto bound = [](double a, double b) {
    return std::exp2(std::ceil(std::log2(std::fmax(std::fmax(a, b), 1) + 1)));
  };
  const double high = bound(std::fmax(operands[0].high, -operands[0].low),
                            std::fmax(operands[1].high, -operands[1].low));
  const double low = operands[0].low < 0 || operands[1].low < 0 ? -high : 0;
  const DType dtype = ResultDType(use);
  if (dtype == DType::kBool) return RangeOfBool(use, operands, results);
  return AddRange(dtype, Range::Uniform(low, high - 1), results);
}

bool InputsShifted(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  AppendBroadcast(draw, 1, inputs);
  (*inputs)[1].range = Range::Uniform(0, 5);
  return true;
}

template <bool left>
bool ShiftRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range &range = operands[0], &by = operands[1];
  const DType dtype = ResultDType(use);
  if (by.low < 0 || by.high >= double(8 * BytesOf(dtype))) return false;
  if (left) {
    const double factor = std::exp2(by.high);
    return AddRange(dtype,
                    {range.low < 0 ? range.low * factor : range.low,
                     range.high > 0 ? range.high * factor : range.high, range.scale * factor / 2},
                    results);
  }
  const double least = std::exp2(-by.low), most = std::exp2(-by.high);
  return AddRange(dtype,
                  {std::floor(range.low * (range.low < 0 ? least : most)),
                   std::floor(range.high * (range.high < 0 ? most : least)), range.scale * least},
                  results);
}

}  // namespace

void AddBits(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "bitwise_and",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast < kBools | kInts >,
       .inputs = InputsBroadcast<1>,
       .range = BitsRange,
       .cost = CostPerElement<1>,
       .scalar = "$0 & $1",
       .spellings = {"torch.bitwise_and", "torch.Tensor.bitwise_and", "torch.Tensor.__and__"},
       .weight = 0.6,
       .commutative = true});
  rows->push_back(
      {.name = "bitwise_or",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast < kBools | kInts >,
       .inputs = InputsBroadcast<1>,
       .range = BitsRange,
       .cost = CostPerElement<1>,
       .scalar = "$0 | $1",
       .spellings = {"torch.bitwise_or", "torch.Tensor.bitwise_or", "torch.Tensor.__or__"},
       .weight = 0.6,
       .commutative = true});
  rows->push_back(
      {.name = "bitwise_xor",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast < kBools | kInts >,
       .inputs = InputsBroadcast<1>,
       .range = BitsRange,
       .cost = CostPerElement<1>,
       .scalar = "$0 ^ $1",
       .spellings = {"torch.bitwise_xor", "torch.Tensor.bitwise_xor", "torch.Tensor.__xor__"},
       .weight = 0.6,
       .commutative = true});
  rows->push_back({.name = "bitwise_left_shift",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferBroadcast<kInts>,
                   .inputs = InputsShifted,
                   .range = ShiftRange<true>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 << $1",
                   .spellings = {"torch.bitwise_left_shift", "torch.Tensor.bitwise_left_shift",
                                 "torch.Tensor.__lshift__"},
                   .weight = 0.3});
  rows->push_back({.name = "bitwise_right_shift",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferBroadcast<kInts>,
                   .inputs = InputsShifted,
                   .range = ShiftRange<false>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 >> $1",
                   .spellings = {"torch.bitwise_right_shift", "torch.Tensor.bitwise_right_shift",
                                 "torch.Tensor.__rshift__"},
                   .weight = 0.3});
}

}  // namespace kernelmill
