// Rows of elementwise selections: where, masks and bounds.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kSelection;

// where(condition, input, other): the condition is bool (or uint8), and the other operands are
// promoted.
bool WhereInfer(const OperatorUse& use, Types* results) {
  const DType condition = use.operand(0).dtype;
  if (condition != DType::kBool && condition != DType::kUInt8) return false;
  TensorType type{ResultDType({use.operands.subspan(1), {}}), {}};
  if (!use.attributes.empty()) {
    type.dtype = ResultDTypeWithNumber({use.operands.subspan(1), {}}, use.attribute(0));
  }
  if (!BroadcastAll(use, &type.shape)) return false;
  results->push_back(type);
  return true;
}

template <int count>
bool WhereInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const Shape shape = (*inputs)[0].type.shape;
  if ((*inputs)[0].type.dtype != DType::kBool) return false;
  const DType dtype = draw->Chance(0.7)   ? DType::kFloat32
                      : draw->Chance(0.5) ? DType::kFloat16
                                          : DType::kInt64;
  for (int i = 0; i < count; ++i) inputs->push_back({{dtype, shape}, UsualRange(dtype)});
  return true;
}

bool WhereRange(const OperatorUse&, std::span<const Range> operands, Ranges* results) {
  results->push_back(HullOf(operands[1], operands[2]));
  return true;
}

bool WithNumberRange(DType dtype, const Range& range, double value, Ranges* results) {
  return AddRange(dtype, HullOf(range, Range::Constant(value)), results);
}

bool WhereNumberRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return WithNumberRange(ResultDTypeWithNumber({use.operands.subspan(1), {}}, use.attribute(0)),
                         operands[1], use.attribute(0).number(), results);
}

bool ProposeOther(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const double value = double(draw->Integer(-2, 2));
  attributes[0] = inputs.size() > 1 && IsFloating(inputs[1]->dtype)
                      ? Attribute::Number(value)
                      : Attribute::Integer(std::int64_t(value));
  return true;
}

// masked_fill(input, mask, value): the result has the input's dtype and the broadcast shape.
bool MaskedFillInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  if (use.operand(1).dtype != DType::kBool || !BroadcastAll(use, &type.shape)) return false;
  // A floating-point number cannot fill integers, and only a bool fills bools unchanged.
  if (use.attribute(0).kind() == Attribute::Kind::kNumber && !IsFloating(type.dtype)) return false;
  results->push_back(type);
  return true;
}

bool MaskedFillInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  AppendBroadcast(draw, 1, inputs);
  (*inputs)[1].type.dtype = DType::kBool;
  (*inputs)[1].range = UsualRange(DType::kBool);
  return true;
}

// Mostly values that hide a score from softmax. The usual one, minus infinity, is rejected by the
// range rules.
bool MaskedFillPropose(Draw* draw, std::span<const TensorType* const> inputs,
                       std::span<Attribute> attributes) {
  static constexpr double kValues[] = {0, 0, -1, 1, -1e9, -1e4};
  const DType dtype = inputs[0]->dtype;
  const double value = kValues[draw->Index(dtype == DType::kFloat32                          ? 6
                                           : dtype == DType::kBool || dtype == DType::kUInt8 ? 2
                                                                                             : 4)];
  attributes[0] =
      IsFloating(dtype) ? Attribute::Number(value) : Attribute::Integer(std::int64_t(value));
  return true;
}

bool MaskedFillRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return WithNumberRange(use.operand(0).dtype, operands[0], use.attribute(0).number(), results);
}

// clamp, clamp_min and clamp_max with numbers as bounds.
bool ClampInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  for (const Attribute& bound : use.attributes) {
    // clamp(min=0) is the row clamp_min.
    if (bound.is_none()) return false;
    type.dtype = Promoted(type.dtype, ResultDTypeWithNumber(use, bound));
  }
  if (type.dtype == DType::kBool) return false;
  results->push_back(type);
  return true;
}

bool ClampPropose(Draw* draw, std::span<const TensorType* const> inputs,
                  std::span<Attribute> attributes) {
  const bool floating = IsFloating(inputs[0]->dtype);
  std::int64_t value = draw->Integer(-4, 2);
  for (Attribute& bound : attributes) {
    bound = floating ? Attribute::Number(double(value) / 2) : Attribute::Integer(value + 4);
    value += draw->Integer(1, 6);
  }
  return true;
}

template <bool has_low, bool has_high>
bool ClampRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  Types types;
  if (!ClampInfer(use, &types)) return false;
  // A negative bound wraps around for unsigned integers.
  for (const Attribute& bound : use.attributes) {
    if (types[0].dtype == DType::kUInt8 && bound.number() < 0) return false;
  }
  const auto f = [&](double x) {
    if (has_low) x = std::fmax(x, use.attribute(0).number());
    if (has_high) x = std::fmin(x, use.attributes.back().number());
    return x;
  };
  return AddRange(types[0].dtype,
                  RangeOfFunction(f, operands[0], f(operands[0].low), f(operands[0].high)),
                  results);
}

bool NanToNumPropose(Draw* draw, std::span<const TensorType* const>,
                     std::span<Attribute> attributes) {
  if (draw->Chance(0.5)) return true;
  attributes[1] = Attribute::Number(10000);
  attributes[2] = Attribute::Number(-10000);
  return true;
}

bool NanToNumRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return WithNumberRange(use.operand(0).dtype, operands[0], use.attribute(0).number(), results);
}

// By default infinities become the largest finite numbers of the dtype.
std::string_view NanToNumScalar(const OperatorUse& use) {
  const DType dtype = use.operand(0).dtype;
  if (!IsFloating(dtype)) return "$0";
  if (!use.attribute(1).is_none()) {
    return "$0 != $0 ? {nan} : isinf($0) ? ($0 > 0.0f ? {posinf} : {neginf}) : $0";
  }
  if (dtype == DType::kFloat16) return "$0 != $0 ? {nan} : fminf(fmaxf($0, -65504.0f), 65504.0f)";
  if (dtype == DType::kBFloat16) {
    return "$0 != $0 ? {nan} : fminf(fmaxf($0, -3.38953139e38f), 3.38953139e38f)";
  }
  return "$0 != $0 ? {nan} : fminf(fmaxf($0, -3.40282347e38f), 3.40282347e38f)";
}

// With eps the operand is clamped to [eps, 1 - eps].
bool LogitRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  double least = 1e-7, most = 1 - 1e-7;
  if (!use.attribute(0).is_none()) {
    least = use.attribute(0).number();
    most = 1 - least;
  } else if (operands[0].low < least || operands[0].high > most) {
    return false;
  }
  const auto f = [&](double x) {
    const double p = std::fmin(std::fmax(x, least), most);
    return std::log(p / (1 - p));
  };
  return AddRange(FloatingOf(use.operand(0).dtype),
                  RangeOfFunction(f, operands[0], f(operands[0].low), f(operands[0].high)),
                  results);
}

bool LogitPropose(Draw* draw, std::span<const TensorType* const>, std::span<Attribute> attributes) {
  if (draw->Chance(0.7)) attributes[0] = Attribute::Number(draw->Chance(0.5) ? 0.125 : 0.0625);
  return true;
}

bool LogitInputs(Draw*, std::span<const Attribute> attributes, NewTensors* inputs) {
  if (attributes[0].is_none()) NarrowRange(0.05, 0.95, &(*inputs)[0]);
  return true;
}

std::string_view LogitScalar(const OperatorUse& use) {
  if (use.attribute(0).is_none()) return "logf($0 / (1.0f - $0))";
  return "$0 < {eps} ? logf({eps} / (1.0f - {eps}))"
         " : $0 > 1.0f - {eps} ? logf((1.0f - {eps}) / {eps}) : logf($0 / (1.0f - $0))";
}

template <bool low>
std::string_view SameAsClamp(const OperatorUse& use, const TensorType&,
                             std::vector<Attribute>* attributes) {
  *attributes = {low ? use.attribute(0) : Attribute(), low ? Attribute() : use.attribute(0)};
  return "clamp";
}

}  // namespace

void AddSelections(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "where",
                   .family = kFamily,
                   .operands = {{"condition"}, {"input"}, {"other"}},
                   .infer = WhereInfer,
                   .inputs = WhereInputs<2>,
                   .range = WhereRange,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 ? $1 : $2",
                   .spellings = {"torch.where"},
                   .weight = 3,
                   .sampler = {.follower = 3}});
  rows->push_back({.name = "where_scalar",
                   .family = kFamily,
                   .operands = {{"condition"}, {"input"}},
                   .attributes = {Proposed("other", Attribute::Kind::kNumber)},
                   .infer = WhereInfer,
                   .propose = ProposeOther,
                   .inputs = WhereInputs<1>,
                   .range = WhereNumberRange,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 ? $1 : {other}",
                   .spellings = {"torch.where"},
                   .weight = 2});
  rows->push_back({.name = "masked_fill",
                   .family = kFamily,
                   .operands = {{"input"}, {"mask"}},
                   .attributes = {Proposed("value", Attribute::Kind::kNumber)},
                   .infer = MaskedFillInfer,
                   .propose = MaskedFillPropose,
                   .inputs = MaskedFillInputs,
                   .range = MaskedFillRange,
                   .cost = CostPerElement<1>,
                   .scalar = "$1 ? {value} : $0",
                   .spellings = {"torch.masked_fill", "torch.Tensor.masked_fill"},
                   .weight = 5,
                   .sampler = {.follower = 0.6}});
  rows->push_back({.name = "clamp",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("min", Attribute::Kind::kNumber),
                                  Proposed("max", Attribute::Kind::kNumber)},
                   .infer = ClampInfer,
                   .propose = ClampPropose,
                   .range = ClampRange<true, true>,
                   .cost = CostPerElement<2>,
                   .scalar = "$0 < {min} ? {min} : $0 > {max} ? {max} : $0",
                   .spellings = {"torch.clamp", "torch.Tensor.clamp", "torch.clip"},
                   .weight = 9,
                   .question = ResultQuestion::kBounds});
  rows->push_back({.name = "clamp_min",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("min", Attribute::Kind::kNumber)},
                   .infer = ClampInfer,
                   .propose = ClampPropose,
                   .range = ClampRange<true, false>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 < {min} ? {min} : $0",
                   .spellings = {"torch.clamp_min", "torch.Tensor.clamp_min", "torch.clamp",
                                 "torch.Tensor.clamp"},
                   .weight = 5,
                   .sampler = {.follower = 0.5},
                   .question = ResultQuestion::kBounds,
                   .same_as = SameAsClamp<true>});
  rows->push_back({.name = "clamp_max",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("max", Attribute::Kind::kNumber)},
                   .infer = ClampInfer,
                   .propose = ClampPropose,
                   .range = ClampRange<false, true>,
                   .cost = CostPerElement<1>,
                   .scalar = "$0 > {max} ? {max} : $0",
                   .spellings = {"torch.clamp_max", "torch.Tensor.clamp_max", "torch.clamp",
                                 "torch.Tensor.clamp"},
                   .weight = 2,
                   .question = ResultQuestion::kBounds,
                   .same_as = SameAsClamp<false>});
  rows->push_back({.name = "nan_to_num",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {NumberWithDefault("nan", 0, -1, 1),
                                  Proposed("posinf", Attribute::Kind::kNumber),
                                  Proposed("neginf", Attribute::Kind::kNumber)},
                   .infer = InferSame<kAnyDType>,
                   .propose = NanToNumPropose,
                   .range = NanToNumRange,
                   .cost = CostPerElement<2>,
                   .scalar_of = NanToNumScalar,
                   .spellings = {"torch.nan_to_num", "torch.Tensor.nan_to_num"},
                   .weight = 0.5});
  rows->push_back({.name = "logit",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("eps", Attribute::Kind::kNumber)},
                   .infer = InferFloating<>,
                   .propose = LogitPropose,
                   .inputs = LogitInputs,
                   .range = LogitRange,
                   .cost = CostPerElement<3>,
                   .scalar_of = LogitScalar,
                   .spellings = {"torch.logit", "torch.Tensor.logit", "torch.special.logit"},
                   .weight = 0.3});
}

}  // namespace kernelmill
