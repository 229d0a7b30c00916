// Rows of elementwise arithmetic on a tensor and a number.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

// The number in attribute 0 must fit the tensor's dtype, or turns integers into floating-point
// numbers.
template <unsigned kinds>
bool InferWithNumber(const OperatorUse& use, Types* results) {
  const DType dtype = ResultDTypeWithNumber(use, use.attribute(0));
  if (!Takes(kinds, dtype) || !Takes(kinds, use.operand(0).dtype)) return false;
  results->push_back({dtype, use.shape(0)});
  return true;
}

template <unsigned kinds>
bool InferFloatingWithNumber(const OperatorUse& use, Types* results) {
  const DType dtype = ResultDTypeWithNumber(use, use.attribute(0));
  if (!Takes(kinds, dtype)) return false;
  results->push_back({FloatingOf(dtype), use.shape(0)});
  return true;
}

// Draws numbers that people write, such as 0.5, 2.0 and 3; mostly integers for integer tensors.
bool ProposeNumber(Draw* draw, std::span<const TensorType* const> inputs,
                   std::span<Attribute> attributes) {
  if (!IsFloating(inputs[0]->dtype) && draw->Chance(0.8)) {
    attributes[0] = Attribute::Integer(draw->Integer(1, 9));
  } else {
    attributes[0] = Attribute::Number(draw->Chance(0.5) ? double(draw->Integer(1, 8)) / 2
                                                        : double(draw->Integer(1, 250)) / 100);
  }
  return true;
}

template <int sign, int of_number>
bool RangeOfPlus(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Attribute& number = use.attribute(0);
  Range range = Scaled(operands[0], sign);
  range.low += of_number * number.number();
  range.high += of_number * number.number();
  range.scale = std::hypot(range.scale, number.number());
  return AddRange(ResultDTypeWithNumber(use, number), range, results);
}

bool MulRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(ResultDTypeWithNumber(use, use.attribute(0)),
                  Scaled(operands[0], use.attribute(0).number()), results);
}

bool DivRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double number = use.attribute(0).number();
  return number != 0 && AddRange(FloatingOf(ResultDTypeWithNumber(use, use.attribute(0))),
                                 Scaled(operands[0], 1 / number), results);
}

bool RdivRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  const double number = use.attribute(0).number();
  if (range.low < 1e-6 && range.high > -1e-6) return false;
  const double a = number / range.high, b = number / range.low;
  return AddRange(FloatingOf(ResultDTypeWithNumber(use, use.attribute(0))),
                  RangeOfFunction([&](double x) { return number / x; }, range, std::fmin(a, b),
                                  std::fmax(a, b)),
                  results);
}

// Small integer powers are written as products.
std::string_view PowScalar(const OperatorUse& use) {
  const double exponent = use.attribute(0).number();
  if (exponent == 1) return "$0";
  if (exponent == 2) return "$0 * $0";
  if (exponent == 3) return "$0 * $0 * $0";
  if (exponent == 4) return "$0 * $0 * ($0 * $0)";
  // For float16 torch calls pow for these exponents too.
  if (std::fabs(exponent) == 0.5 && use.operand(0).dtype == DType::kFloat16) {
    return "powf($0, {exponent})";
  }
  if (exponent == 0.5) return "sqrtf($0)";
  if (exponent == -0.5) return "1.0f / sqrtf($0)";
  if (exponent == -1) return "1.0f / $0";
  if (exponent == -2) return "1.0f / ($0 * $0)";
  return "powf($0, {exponent})";
}

bool PowInfer(const OperatorUse& use, Types* results) {
  const Attribute& exponent = use.attribute(0);
  const DType dtype = ResultDTypeWithNumber(use, exponent);
  // torch rejects negative powers of integers.
  if (!IsFloating(dtype) && exponent.number() < 0) return false;
  results->push_back({dtype, use.shape(0)});
  return true;
}

bool PowPropose(Draw* draw, std::span<const TensorType* const> inputs,
                std::span<Attribute> attributes) {
  static constexpr double kExponents[] = {2, 2, 2, 3, 0.5, 1.5, 4, -1, -0.5};
  const double exponent = kExponents[draw->Index(IsFloating(inputs[0]->dtype) ? 9 : 4)];
  const bool whole = exponent == std::floor(exponent) && draw->Chance(0.7);
  attributes[0] = whole ? Attribute::Integer(std::int64_t(exponent)) : Attribute::Number(exponent);
  return true;
}

bool PowInputs(Draw*, std::span<const Attribute> attributes, NewTensors* inputs) {
  const double exponent = attributes[0].number();
  if (exponent < 0 || exponent != std::floor(exponent)) NarrowRange(0.1, 10, &(*inputs)[0]);
  return true;
}

bool PowRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  const double exponent = use.attribute(0).number();
  const bool whole = exponent == std::floor(exponent);
  if ((!whole && range.low < 0) || (exponent < 0 && range.low < 1e-6)) return false;
  const auto f = [&](double x) { return std::pow(x, exponent); };
  double low = std::fmin(f(range.low), f(range.high));
  if (range.low < 0 && range.high > 0) low = std::fmin(low, exponent == 0 ? 1 : 0);
  return AddRange(ResultDTypeWithNumber(use, use.attribute(0)),
                  RangeOfFunction(f, range, low, std::fmax(f(range.low), f(range.high))), results);
}

}  // namespace

void AddNumberArithmetic(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "add_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = InferWithNumber<kAnyDType>,
                   .propose = ProposeNumber,
                   .range = RangeOfPlus<1, 1>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 + {other}",
                   .spellings = {"torch.add", "torch.Tensor.add", "torch.Tensor.__add__",
                                 "torch.Tensor.__radd__"},
                   .weight = 23});
  rows->push_back({.name = "sub_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = InferWithNumber<kNumbers>,
                   .propose = ProposeNumber,
                   .range = RangeOfPlus<1, -1>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 - {other}",
                   .spellings = {"torch.sub", "torch.Tensor.sub", "torch.Tensor.__sub__"},
                   .weight = 9,
                   .sampler = {.follower = 2}});
  rows->push_back({.name = "rsub_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = InferWithNumber<kNumbers>,
                   .propose = ProposeNumber,
                   .range = RangeOfPlus<-1, 1>,
                   .cost = CostPerElement<1>,
                   .scalar = "{other} - $0",
                   .spellings = {"torch.rsub", "torch.Tensor.__rsub__"},
                   .weight = 7});
  rows->push_back({.name = "mul_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = InferWithNumber<kAnyDType>,
                   .propose = ProposeNumber,
                   .range = MulRange,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 * {other}",
                   .spellings = {"torch.mul", "torch.Tensor.mul", "torch.Tensor.__mul__",
                                 "torch.Tensor.__rmul__"},
                   .weight = 25});
  rows->push_back({.name = "div_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = InferFloatingWithNumber<kAnyDType>,
                   .propose = ProposeNumber,
                   .range = DivRange,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 / {other}",
                   .spellings = {"torch.div", "torch.Tensor.div", "torch.Tensor.__truediv__",
                                 "torch.true_divide"},
                   .weight = 14});
  rows->push_back({.name = "rdiv_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = InferFloatingWithNumber<kAnyDType>,
                   .propose = ProposeNumber,
                   .inputs = InputWithin<0.1, 10.0>,
                   .range = RdivRange,
                   .cost = CostPerElement<1>,
                   .scalar = "{other} / $0",
                   .spellings = {"torch.Tensor.__rtruediv__"},
                   .weight = 1});
  rows->push_back({.name = "pow_scalar",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("exponent", Attribute::Kind::kNumber)},
                   .infer = PowInfer,
                   .propose = PowPropose,
                   .inputs = PowInputs,
                   .range = PowRange,
                   .cost = CostPerElement<1>,
                   .scalar_of = PowScalar,
                   .spellings = {"torch.pow", "torch.Tensor.pow", "torch.Tensor.__pow__"},
                   .weight = 15,
                   .sampler = {.follower = 1.5}});
}

}  // namespace kernelmill
