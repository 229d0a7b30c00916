// Rows of operators that create tensors from attributes, or from the type of another tensor.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kCreation;

constexpr std::string_view kDTypes[] = {"torch.float32", "torch.float16", "torch.bfloat16",
                                        "torch.int64",   "torch.int32",   "torch.bool"};

// The dtype in the attribute `dtype`, or `otherwise` if it is None.
DType DTypeOf(const Attribute& attribute, DType otherwise) {
  if (attribute.is_none()) return otherwise;
  DType dtype = otherwise;
  FindDType(kDTypes[attribute.choice()].substr(6), &dtype);
  return dtype;
}

AttributeRow DTypeAttribute() {
  return KeywordOnly(
      {"dtype", Attribute::Kind::kChoice, {}, {AttributeDraw::Kind::kProposed}, kDTypes});
}

bool ProposeFloating(Draw* draw, std::span<Attribute> attributes) {
  if (draw->Chance(0.2)) attributes.back() = Attribute::Choice(int(draw->Index(3)));
  return true;
}

// zeros_like(input), ones_like(input), and full_like(input, fill_value).
bool LikeInfer(const OperatorUse& use, Types* results) {
  results->push_back({DTypeOf(use.attributes.back(), use.operand(0).dtype), use.shape(0)});
  return true;
}

bool LikePropose(Draw* draw, std::span<const TensorType* const>, std::span<Attribute> attributes) {
  return ProposeFloating(draw, attributes);
}

bool FullLikePropose(Draw* draw, std::span<const TensorType* const> inputs,
                     std::span<Attribute> attributes) {
  const std::int64_t value = draw->Integer(0, 4);
  attributes[0] = IsFloating(inputs[0]->dtype)
                      ? Attribute::Number(double(value) / 2)
                      : Attribute::Integer(inputs[0]->dtype == DType::kBool ? value % 2 : value);
  return ProposeFloating(draw, attributes);
}

template <int value>
bool ConstantRange(const OperatorUse&, std::span<const Range>, Ranges* results) {
  results->push_back(Range::Constant(value));
  return true;
}

// zeros(size), ones(size), full(size, fill_value), and the new_… methods, which use a tensor's
// dtype.
bool SizesInfer(const Attribute& sizes, DType dtype, Types* results) {
  TensorType type{dtype, {}};
  for (const std::int64_t size : sizes.integers()) {
    if (size < 0) return false;
    type.shape.Append(size);
  }
  results->push_back(type);
  return true;
}

bool FilledInfer(const OperatorUse& use, Types* results) {
  DType dtype = use.Has(0) ? use.operand(0).dtype : DType::kFloat32;
  // full has the dtype of its value; new_full has that of its tensor.
  if (use.attributes.size() == 3 && !use.Has(0) &&
      use.attribute(1).kind() == Attribute::Kind::kInteger) {
    dtype = DType::kInt64;
  }
  return SizesInfer(use.attribute(0), DTypeOf(use.attributes.back(), dtype), results);
}

// The range of a value after conversion to the dtype.
template <auto infer, int attribute>
bool ValueRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  Types types;
  if (!infer(use, &types)) return false;
  double value = use.attribute(attribute).number();
  if (types[0].dtype == DType::kBool) value = value != 0;
  if (!IsFloating(types[0].dtype)) value = std::trunc(value);
  return AddRange(types[0].dtype, Range::Constant(value), results);
}

bool FilledPropose(Draw* draw, std::span<const TensorType* const>,
                   std::span<Attribute> attributes) {
  std::int64_t sizes[3];
  const std::int64_t rank = draw->Integer(1, 3);
  for (int i = 0; i < rank; ++i) sizes[i] = draw->Binned(1, 15);
  attributes[0] = Attribute::Integers({sizes, std::size_t(rank)});
  if (attributes.size() == 3) {
    attributes[1] = draw->Chance(0.7) ? Attribute::Number(double(draw->Integer(0, 4)) / 2)
                                      : Attribute::Integer(draw->Integer(0, 3));
  }
  return ProposeFloating(draw, attributes);
}

// The number of elements of arange(start, end, step), or -1 when torch rejects the arguments.
double ArangeCount(const OperatorUse& use) {
  const double start = use.attribute(0).number(), end = use.attribute(1).number(),
               step = use.attribute(2).number();
  // The step must not lead away from the end.
  return step == 0 || (end - start) * step < 0 ? -1 : std::ceil((end - start) / step);
}

bool ArangeInfer(const OperatorUse& use, Types* results) {
  DType dtype = DType::kInt64;
  for (int i = 0; i < 3; ++i) {
    if (use.attribute(i).kind() == Attribute::Kind::kNumber) dtype = DType::kFloat32;
  }
  const double count = ArangeCount(use);
  if (count < 0) return false;
  dtype = DTypeOf(use.attribute(3), dtype);
  if (dtype == DType::kBool) return false;
  results->push_back({dtype, {std::int64_t(count)}});
  return true;
}

bool ArangePropose(Draw* draw, std::span<const TensorType* const>,
                   std::span<Attribute> attributes) {
  attributes[1] = Attribute::Integer(draw->Binned(1, 64));
  if (draw->Chance(0.3)) {
    attributes[0] = Attribute::Integer(draw->Integer(0, attributes[1].integer()));
    attributes[2] = Attribute::Integer(draw->Integer(1, 3));
  }
  if (draw->Chance(0.3)) attributes[3] = Attribute::Choice(0);
  return true;
}

bool ArangeRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  const double start = use.attribute(0).number(), step = use.attribute(2).number();
  const double last = start + std::fmax(0, ArangeCount(use) - 1) * step;
  results->push_back(Range::Uniform(std::fmin(start, last), std::fmax(start, last)));
  return true;
}

bool EyeInfer(const OperatorUse& use, Types* results) {
  const std::int64_t rows = use.integer(0),
                     columns = use.attribute(1).is_none() ? rows : use.integer(1);
  if (rows < 0 || columns < 0) return false;
  results->push_back({DTypeOf(use.attribute(2), DType::kFloat32), {rows, columns}});
  return true;
}

bool EyePropose(Draw* draw, std::span<const TensorType* const>, std::span<Attribute> attributes) {
  attributes[0] = Attribute::Size(draw->Binned(1, 64));
  if (draw->Chance(0.2)) attributes[1] = Attribute::Size(draw->Binned(1, 64));
  return ProposeFloating(draw, attributes);
}

bool LinspaceInfer(const OperatorUse& use, Types* results) {
  if (use.integer(2) < 0) return false;
  results->push_back({DTypeOf(use.attribute(3), DType::kFloat32), {use.integer(2)}});
  return true;
}

bool LinspacePropose(Draw* draw, std::span<const TensorType* const>,
                     std::span<Attribute> attributes) {
  attributes[0] = Attribute::Number(double(draw->Integer(-2, 0)));
  attributes[1] = Attribute::Number(double(draw->Integer(1, 4)));
  attributes[2] = Attribute::Size(draw->Binned(1, 64));
  return true;
}

bool LinspaceRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  const double start = use.attribute(0).number(), end = use.attribute(1).number();
  results->push_back(Range::Uniform(std::fmin(start, end), std::fmax(start, end)));
  return true;
}

// Elements are only written.
OperatorCost CostOfFill(const OperatorUse&, std::span<const TensorType> results) {
  return {0, results[0].Bytes()};
}

}  // namespace

void AddCreations(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "zeros_like",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {DTypeAttribute()},
                   .infer = LikeInfer,
                   .propose = LikePropose,
                   .range = ConstantRange<0>,
                   .cost = CostOfFill,
                   .spellings = {"torch.zeros_like"},
                   .weight = 4});
  rows->push_back({.name = "ones_like",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {DTypeAttribute()},
                   .infer = LikeInfer,
                   .propose = LikePropose,
                   .range = ConstantRange<1>,
                   .cost = CostOfFill,
                   .spellings = {"torch.ones_like"},
                   .weight = 1});
  rows->push_back(
      {.name = "full_like",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {Proposed("fill_value", Attribute::Kind::kNumber), DTypeAttribute()},
       .infer = LikeInfer,
       .propose = FullLikePropose,
       .range = ValueRange<LikeInfer, 0>,
       .cost = CostOfFill,
       .spellings = {"torch.full_like"},
       .weight = 0.6});
  rows->push_back({.name = "zeros",
                   .family = kFamily,
                   .attributes = {Proposed("size", Attribute::Kind::kIntegers), DTypeAttribute()},
                   .infer = FilledInfer,
                   .propose = FilledPropose,
                   .range = ConstantRange<0>,
                   .cost = CostOfFill,
                   .spellings = {"torch.zeros"},
                   .weight = 2});
  rows->push_back({.name = "ones",
                   .family = kFamily,
                   .attributes = {Proposed("size", Attribute::Kind::kIntegers), DTypeAttribute()},
                   .infer = FilledInfer,
                   .propose = FilledPropose,
                   .range = ConstantRange<1>,
                   .cost = CostOfFill,
                   .spellings = {"torch.ones"},
                   .weight = 8});
  rows->push_back(
      {.name = "full",
       .family = kFamily,
       .attributes = {Proposed("size", Attribute::Kind::kIntegers),
                      Proposed("fill_value", Attribute::Kind::kNumber), DTypeAttribute()},
       .infer = FilledInfer,
       .propose = FilledPropose,
       .range = ValueRange<FilledInfer, 1>,
       .cost = CostOfFill,
       .spellings = {"torch.full"},
       .weight = 3});
  rows->push_back({.name = "new_zeros",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("size", Attribute::Kind::kIntegers), DTypeAttribute()},
                   .infer = FilledInfer,
                   .propose = FilledPropose,
                   .range = ConstantRange<0>,
                   .cost = CostOfFill,
                   .spellings = {"torch.Tensor.new_zeros"},
                   .weight = 0.6});
  rows->push_back({.name = "new_ones",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("size", Attribute::Kind::kIntegers), DTypeAttribute()},
                   .infer = FilledInfer,
                   .propose = FilledPropose,
                   .range = ConstantRange<1>,
                   .cost = CostOfFill,
                   .spellings = {"torch.Tensor.new_ones"},
                   .weight = 1});
  rows->push_back(
      {.name = "arange",
       .family = kFamily,
       .attributes = {Proposed("start", Attribute::Kind::kNumber, Attribute::Integer(0)),
                      Proposed("end", Attribute::Kind::kNumber),
                      Proposed("step", Attribute::Kind::kNumber, Attribute::Integer(1)),
                      DTypeAttribute()},
       .infer = ArangeInfer,
       .propose = ArangePropose,
       .range = ArangeRange,
       .cost = CostOfFill,
       .spellings = {"torch.arange"},
       .weight = 8});
  rows->push_back({.name = "eye",
                   .family = kFamily,
                   .attributes = {Proposed("n", Attribute::Kind::kSize),
                                  Proposed("m", Attribute::Kind::kSize), DTypeAttribute()},
                   .infer = EyeInfer,
                   .propose = EyePropose,
                   .range = RangeOfBool,
                   .cost = CostOfFill,
                   .spellings = {"torch.eye"},
                   .weight = 0.6});
  rows->push_back({.name = "linspace",
                   .family = kFamily,
                   .attributes = {Proposed("start", Attribute::Kind::kNumber),
                                  Proposed("end", Attribute::Kind::kNumber),
                                  Proposed("steps", Attribute::Kind::kSize), DTypeAttribute()},
                   .infer = LinspaceInfer,
                   .propose = LinspacePropose,
                   .range = LinspaceRange,
                   .cost = CostOfFill,
                   .spellings = {"torch.linspace"},
                   .weight = 0.6});
}

}  // namespace kernelmill
