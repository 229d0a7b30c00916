#include "corpora/operators/rules/type_rules.h"

#include <optional>

namespace kernelmill {
namespace {

// The kinds of dtypes in the order of torch's promotion: bool, integer, floating.
int KindOf(DType dtype) { return IsFloating(dtype) ? 2 : IsIntegral(dtype) ? 1 : 0; }

using MaybeDType = std::optional<DType>;

MaybeDType Joined(MaybeDType a, DType b) { return a ? Promoted(*a, b) : b; }

// Promotes `dtype` to `lesser` only if the kind of `lesser` is higher.
MaybeDType Over(MaybeDType dtype, MaybeDType lesser) {
  if (!dtype || !lesser) return dtype ? dtype : lesser;
  return KindOf(*lesser) > KindOf(*dtype) ? Promoted(*dtype, *lesser) : *dtype;
}

DType Combined(const OperatorUse& use, MaybeDType number) {
  MaybeDType tensors, scalars;
  for (const TensorType* operand : use.operands) {
    if (operand == nullptr) continue;
    MaybeDType& dtype = operand->shape.rank() == 0 ? scalars : tensors;
    dtype = Joined(dtype, operand->dtype);
  }
  return Over(tensors, Over(scalars, number)).value_or(DType::kFloat32);
}

}  // namespace

bool WrapDimension(std::int64_t dimension, int rank, int* wrapped) {
  const int count = std::max(rank, 1);
  if (dimension < -count || dimension >= count) return false;
  *wrapped = static_cast<int>(dimension < 0 ? dimension + count : dimension);
  return true;
}

bool WrapDimensions(const Attribute& dimensions, int rank, std::uint32_t* bits) {
  *bits = 0;
  const auto add = [&](std::int64_t dimension) {
    int wrapped = 0;
    if (!WrapDimension(dimension, rank, &wrapped) || (*bits >> wrapped & 1) != 0) return false;
    *bits |= 1u << wrapped;
    return true;
  };
  if (dimensions.kind() == Attribute::Kind::kIntegers && !dimensions.integers().empty()) {
    return std::all_of(dimensions.integers().begin(), dimensions.integers().end(), add);
  }
  if (dimensions.kind() == Attribute::Kind::kInteger) return add(dimensions.integer());
  *bits = (1u << rank) - 1;
  return true;
}

Shape Reduced(const Shape& shape, std::uint32_t bits, bool keep) {
  Shape reduced;
  for (int i = 0; i < shape.rank(); ++i) {
    if ((bits >> i & 1) == 0) {
      reduced.Append(shape[i]);
    } else if (keep) {
      reduced.Append(1);
    }
  }
  return reduced;
}

std::int64_t ElementsAlong(const Shape& shape, std::uint32_t bits) {
  std::int64_t elements = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if ((bits >> i & 1) != 0) elements *= shape[i];
  }
  return elements;
}

std::int64_t IntegerFor(const Attribute& attribute, int i) {
  if (attribute.kind() != Attribute::Kind::kIntegers) return attribute.integer();
  return attribute.integers()[attribute.integers().size() == 1 ? 0 : i];
}

bool HasIntegerForEach(const Attribute& attribute, int count) {
  if (attribute.kind() != Attribute::Kind::kIntegers) return !attribute.is_none();
  return attribute.integers().size() == 1 || int(attribute.integers().size()) == count;
}

DType ResultDType(const OperatorUse& use) { return Combined(use, std::nullopt); }

DType ResultDTypeWithNumber(const OperatorUse& use, const Attribute& number) {
  switch (number.kind()) {
    case Attribute::Kind::kFlag:
      return Combined(use, DType::kBool);
    case Attribute::Kind::kInteger:
      return Combined(use, DType::kInt64);
    case Attribute::Kind::kNumber:
      return Combined(use, DType::kFloat32);
    default:
      return Combined(use, std::nullopt);
  }
}

bool BroadcastAll(const OperatorUse& use, Shape* shape) {
  *shape = {};
  for (const TensorType* operand : use.operands) {
    if (operand != nullptr && !Broadcast(*shape, operand->shape, shape)) return false;
  }
  return true;
}

}  // namespace kernelmill
