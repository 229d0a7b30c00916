// Type inference that rows of the operator table share: torch's rules for dtypes, dimensions and
// broadcasting. The Infer* templates are put into rows; each appends the types of the results to
// `results`, and returns false when the operator does not accept its operands.
#pragma once

#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

using Types = std::vector<TensorType>;

// Kinds of dtypes, as bits.
inline constexpr unsigned kBools = 1, kInts = 2, kFloats = 4;
inline constexpr unsigned kNumbers = kInts | kFloats, kAnyDType = kBools | kNumbers;
inline bool Takes(unsigned kinds, DType dtype) {
  return (kinds & (IsFloating(dtype) ? kFloats : IsIntegral(dtype) ? kInts : kBools)) != 0;
}

// Maps a dimension in [-rank, rank) to [0, rank). For a scalar, 0 and -1 are allowed. False when it
// is out of range.
bool WrapDimension(std::int64_t dimension, int rank, int* wrapped);
// The dimensions that an attribute `dim` names (None for all, an int or a tuple), as one bit each.
// False when one is out of range or named twice.
bool WrapDimensions(const Attribute& dimensions, int rank, std::uint32_t* bits);
// The shape after these dimensions were reduced.
Shape Reduced(const Shape& shape, std::uint32_t bits, bool keep);
// The number of elements that these dimensions span.
std::int64_t ElementsAlong(const Shape& shape, std::uint32_t bits);

// Element i of a tuple, or the int that stands for all dimensions.
std::int64_t IntegerFor(const Attribute& attribute, int i);
// Whether the attribute is one int, or a tuple of 1 or `count` ints.
bool HasIntegerForEach(const Attribute& attribute, int count);

// torch's result type of all operands. A tensor without dimensions counts only if its kind of dtype
// is higher than that of the others; numbers rank below such tensors.
DType ResultDType(const OperatorUse& use);
// The result type of the first operand and a number; the operand's dtype if `number` is not a
// number.
DType ResultDTypeWithNumber(const OperatorUse& use, const Attribute& number);
// The result dtype of operators that convert integers to floating point.
inline DType FloatingOf(DType dtype) { return IsFloating(dtype) ? dtype : DType::kFloat32; }
// The broadcast shape of all operands. False when they do not fit.
bool BroadcastAll(const OperatorUse& use, Shape* shape);

// Infer functions of elementwise operators. `kinds` are the dtypes that the operator accepts.

// The result has the operand's type.
template <unsigned kinds>
bool InferSame(const OperatorUse& use, Types* results) {
  if (!Takes(kinds, use.operand(0).dtype)) return false;
  results->push_back(use.operand(0));
  return true;
}

// The result has the operand's type, or float32 for an integer operand.
template <unsigned kinds = kAnyDType>
bool InferFloating(const OperatorUse& use, Types* results) {
  if (!Takes(kinds, use.operand(0).dtype)) return false;
  results->push_back({FloatingOf(use.operand(0).dtype), use.shape(0)});
  return true;
}

// The result has the operands' promoted dtype and broadcast shape.
template <unsigned kinds>
bool InferBroadcast(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  if (!Takes(kinds, type.dtype) || !BroadcastAll(use, &type.shape)) return false;
  results->push_back(type);
  return true;
}

// Like InferBroadcast, with float32 for integers.
template <unsigned kinds = kAnyDType>
bool InferFloatingBroadcast(const OperatorUse& use, Types* results) {
  if (!InferBroadcast<kinds>(use, results)) return false;
  results->back().dtype = FloatingOf(results->back().dtype);
  return true;
}

// Like InferBroadcast, with a bool result.
template <unsigned kinds = kAnyDType>
bool InferCompared(const OperatorUse& use, Types* results) {
  if (!InferBroadcast<kinds>(use, results)) return false;
  results->back().dtype = DType::kBool;
  return true;
}

}  // namespace kernelmill
