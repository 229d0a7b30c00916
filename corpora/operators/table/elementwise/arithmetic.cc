// Rows of elementwise arithmetic on two or three tensors.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kElementwise;

// torch.add and torch.sub with `alpha`, which must be an integer for integer operands.
template <unsigned kinds>
bool InferPlus(const OperatorUse& use, Types* results) {
  if (!IsFloating(ResultDType(use)) && use.attribute(0).kind() == Attribute::Kind::kNumber) {
    return false;
  }
  // Bools can be added but not subtracted.
  for (const TensorType* operand : use.operands) {
    if (!Takes(kinds, operand->dtype)) return false;
  }
  return InferBroadcast<kinds>(use, results);
}

bool ProposeAlpha(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  if (draw->Chance(0.9) || inputs[0]->dtype == DType::kBool) return true;
  attributes[0] = IsFloating(inputs[0]->dtype) ? Attribute::Number(double(draw->Integer(1, 8)) / 4)
                                               : Attribute::Integer(draw->Integer(2, 4));
  return true;
}

std::string_view AddScalar(const OperatorUse& use) {
  return use.attribute(0).number() == 1 ? "$0 + $1" : "$0 + {alpha} * $1";
}
std::string_view SubScalar(const OperatorUse& use) {
  return use.attribute(0).number() == 1 ? "$0 - $1" : "$0 - {alpha} * $1";
}
std::string_view RsubScalar(const OperatorUse& use) {
  return use.attribute(0).number() == 1 ? "$1 - $0" : "$1 - {alpha} * $0";
}

template <int first, int second, int sign>
bool RangeOfPlus(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range range =
      PlusOf(operands[first], Scaled(operands[second], sign * use.attribute(0).number()));
  return AddRange(ResultDType(use), range, results);
}

bool MulRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Range range = ProductOf(operands[0], operands[1]);
  if (use.operands[0] == use.operands[1]) range.low = std::fmax(range.low, 0);
  return AddRange(ResultDType(use), range, results);
}

template <bool greater>
bool RangeOfExtreme(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const auto pick = [](double a, double b) { return greater ? std::fmax(a, b) : std::fmin(a, b); };
  return AddRange(ResultDType(use),
                  {pick(operands[0].low, operands[1].low), pick(operands[0].high, operands[1].high),
                   std::fmax(operands[0].scale, operands[1].scale)},
                  results);
}

bool HypotRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const auto far = [&](int i) { return std::fmax(-operands[i].low, operands[i].high); };
  return AddRange(ResultDType(use),
                  {0, std::hypot(far(0), far(1)), std::hypot(operands[0].scale, operands[1].scale)},
                  results);
}

bool LogaddexpRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(FloatingOf(ResultDType(use)),
                  {std::fmax(operands[0].low, operands[1].low),
                   std::fmax(operands[0].high, operands[1].high) + 1,
                   std::fmax(operands[0].scale, operands[1].scale) + 0.5},
                  results);
}

// start, end and weight must have the same dtype.
bool LerpInfer(const OperatorUse& use, Types* results) {
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.operand(int(i)).dtype != use.operand(0).dtype) return false;
  }
  return InferBroadcast<kFloats>(use, results);
}

bool LerpInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  AppendBroadcast(draw, 2, inputs);
  (*inputs)[2].range = Range::Uniform(0, 1);
  return true;
}

bool LerpRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range difference = PlusOf(operands[1], Scaled(operands[0], -1));
  if (operands[2].low >= 0 && operands[2].high <= 1)
    return RangeOfHull({use.operands.first(2), {}}, operands.first(2), results);
  return AddRange(use.operand(0).dtype, PlusOf(operands[0], ProductOf(operands[2], difference)),
                  results);
}

bool LerpNumberRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double weight = use.attribute(0).number();
  return AddRange(use.operand(0).dtype,
                  PlusOf(Scaled(operands[0], 1 - weight), Scaled(operands[1], weight)), results);
}

bool AddcmulInfer(const OperatorUse& use, Types* results) {
  if (!IsFloating(ResultDType(use)) && use.attribute(0).kind() == Attribute::Kind::kNumber)
    return false;
  return InferBroadcast<kNumbers>(use, results);
}

bool AddcmulPropose(Draw*, std::span<const TensorType* const> inputs,
                    std::span<Attribute> attributes) {
  if (!IsFloating(inputs[0]->dtype)) attributes[0] = Attribute::Integer(1);
  return true;
}

bool AddcmulRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(
      ResultDType(use),
      PlusOf(operands[0], Scaled(ProductOf(operands[1], operands[2]), use.attribute(0).number())),
      results);
}

}  // namespace

void AddArithmetic(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "add",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .attributes = {KeywordOnly(
                       Proposed("alpha", Attribute::Kind::kNumber, Attribute::Integer(1)))},
                   .infer = InferPlus<kAnyDType>,
                   .propose = ProposeAlpha,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfPlus<0, 1, 1>,
                   .cost = CostPerElement<1>,
                   .scalar_of = AddScalar,
                   .spellings = {"torch.add", "torch.Tensor.add", "torch.Tensor.__add__"},
                   .weight = 70,
                   .commutative = true,
                   .cpp = {.stands_for_wrapper = true}});
  rows->push_back(
      {.name = "sub",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .attributes = {KeywordOnly(
           Proposed("alpha", Attribute::Kind::kNumber, Attribute::Integer(1)))},
       .infer = InferPlus<kNumbers>,
       .propose = ProposeAlpha,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfPlus<0, 1, -1>,
       .cost = CostPerElement<1>,
       .scalar_of = SubScalar,
       .spellings = {"torch.sub", "torch.Tensor.sub", "torch.Tensor.__sub__", "torch.subtract"},
       .weight = 12,
       .sampler = {.follower = 2},
       .cpp = {.stands_for_wrapper = true}});
  rows->push_back({.name = "rsub",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .attributes = {KeywordOnly(
                       Proposed("alpha", Attribute::Kind::kNumber, Attribute::Integer(1)))},
                   .infer = InferPlus<kNumbers>,
                   .propose = ProposeAlpha,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfPlus<1, 0, -1>,
                   .cost = CostPerElement<1>,
                   .scalar_of = RsubScalar,
                   .spellings = {"torch.rsub"},
                   .weight = 0.5});
  rows->push_back(
      {.name = "mul",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast<kAnyDType>,
       .inputs = InputsBroadcast<1>,
       .range = MulRange,
       .cost = CostPerElement<1>,
       .scalar = "$0 * $1",
       .spellings = {"torch.mul", "torch.Tensor.mul", "torch.Tensor.__mul__", "torch.multiply"},
       .weight = 55,
       .commutative = true,
       .cpp = {.stands_for_wrapper = true}});
  rows->push_back(
      {.name = "maximum",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast<kAnyDType>,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfExtreme<true>,
       .cost = CostPerElement<1>,
       .scalar = "$0 > $1 || $0 != $0 ? $0 : $1",
       .integral_scalar = "$0 > $1 ? $0 : $1",
       .spellings = {"torch.maximum", "torch.Tensor.maximum", "torch.max", "torch.Tensor.max"},
       .weight = 1,
       .commutative = true,
       .cpp = {.stands_for_wrapper = true}});
  rows->push_back(
      {.name = "minimum",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast<kAnyDType>,
       .inputs = InputsBroadcast<1>,
       .range = RangeOfExtreme<false>,
       .cost = CostPerElement<1>,
       .scalar = "$0 < $1 || $0 != $0 ? $0 : $1",
       .integral_scalar = "$0 < $1 ? $0 : $1",
       .spellings = {"torch.minimum", "torch.Tensor.minimum", "torch.min", "torch.Tensor.min"},
       .weight = 1,
       .commutative = true,
       .sampler = {.follower = 5},
       .cpp = {.stands_for_wrapper = true}});
  rows->push_back({.name = "fmax",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferBroadcast<kAnyDType>,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfExtreme<true>,
                   .cost = CostPerElement<1>,
                   .scalar = "fmaxf($0, $1)",
                   .integral_scalar = "$0 > $1 ? $0 : $1",
                   .spellings = {"torch.fmax", "torch.Tensor.fmax"},
                   .weight = 0.4,
                   .commutative = true});
  rows->push_back({.name = "fmin",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferBroadcast<kAnyDType>,
                   .inputs = InputsBroadcast<1>,
                   .range = RangeOfExtreme<false>,
                   .cost = CostPerElement<1>,
                   .scalar = "fminf($0, $1)",
                   .integral_scalar = "$0 < $1 ? $0 : $1",
                   .spellings = {"torch.fmin", "torch.Tensor.fmin"},
                   .weight = 0.4,
                   .commutative = true});
  rows->push_back({.name = "hypot",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = InferBroadcast<kFloats>,
                   .inputs = InputsBroadcast<1>,
                   .range = HypotRange,
                   .cost = CostPerElement<3>,
                   .scalar = "hypotf($0, $1)",
                   .spellings = {"torch.hypot", "torch.Tensor.hypot"},
                   .weight = 0.3,
                   .commutative = true});
  rows->push_back(
      {.name = "logaddexp",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast<kFloats>,
       .inputs = InputsBroadcast<1>,
       .range = LogaddexpRange,
       .cost = CostPerElement<5>,
       .scalar = "isinf($0) && $0 == $1 ? $0 : fmaxf($0, $1) + log1pf(expf(-fabsf($0 - $1)))",
       .spellings = {"torch.logaddexp", "torch.Tensor.logaddexp"},
       .weight = 0.4,
       .commutative = true});
  rows->push_back(
      {.name = "logaddexp2",
       .family = kFamily,
       .operands = {{"input"}, {"other"}},
       .infer = InferBroadcast<kFloats>,
       .inputs = InputsBroadcast<1>,
       .range = LogaddexpRange,
       .cost = CostPerElement<5>,
       .scalar =
           "isinf($0) && $0 == $1 ? $0 : fmaxf($0, $1) + log2f(1.0f + exp2f(-fabsf($0 - $1)))",
       .spellings = {"torch.logaddexp2", "torch.Tensor.logaddexp2"},
       .weight = 0.2,
       .commutative = true});
  rows->push_back(
      {.name = "lerp",
       .family = kFamily,
       .operands = {{"input"}, {"end"}, {"weight"}},
       .infer = LerpInfer,
       .inputs = LerpInputs,
       .range = LerpRange,
       .cost = CostPerElement<3>,
       .scalar = "fabsf($2) < 0.5f ? $0 + $2 * ($1 - $0) : $1 - ($1 - $0) * (1.0f - $2)",
       .spellings = {"torch.lerp", "torch.Tensor.lerp"},
       .weight = 0.5});
  rows->push_back({.name = "lerp_scalar",
                   .family = kFamily,
                   .operands = {{"input"}, {"end"}},
                   .attributes = {NumberWithoutDefault("weight", 0, 1)},
                   .infer = LerpInfer,
                   .inputs = InputsBroadcast<1>,
                   .range = LerpNumberRange,
                   .cost = CostPerElement<3>,
                   .scalar = "fabsf({weight}) < 0.5f ? $0 + {weight} * ($1 - $0) : $1 - ($1 - $0) "
                             "* (1.0f - {weight})",
                   .spellings = {"torch.lerp", "torch.Tensor.lerp"},
                   .weight = 0.5});
  rows->push_back({.name = "addcmul",
                   .family = kFamily,
                   .operands = {{"input"}, {"tensor1"}, {"tensor2"}},
                   .attributes = {KeywordOnly(NumberWithDefault("value", 1, -2, 2))},
                   .infer = AddcmulInfer,
                   .propose = AddcmulPropose,
                   .inputs = InputsBroadcast<2>,
                   .range = AddcmulRange,
                   .cost = CostPerElement<3>,
                   .scalar = "$0 + {value} * $1 * $2",
                   .spellings = {"torch.addcmul", "torch.Tensor.addcmul"},
                   .weight = 0.5});
}

}  // namespace kernelmill
