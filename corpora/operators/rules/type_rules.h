// What the rows' infer functions share: torch's rules for dtypes, dimensions and broadcasting.
#pragma once

#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

using Types = std::vector<TensorType>;

// Which kinds of dtype an operator takes.
inline constexpr unsigned kBools = 1, kInts = 2, kFloats = 4;
inline constexpr unsigned kNumbers = kInts | kFloats, kAnyDType = kBools | kNumbers;
inline bool Takes(unsigned kinds, DType dtype) {
  return (kinds & (IsFloating(dtype) ? kFloats : IsIntegral(dtype) ? kInts : kBools)) != 0;
}

// A dimension counted from either end as one of 0 … rank - 1; of a scalar, 0 and -1 are allowed.
bool WrapDimension(std::int64_t dimension, int rank, int* wrapped);
// Of an attribute `dim` that is None (all of them), an int or a tuple: one bit a dimension. False
// where one is out of range or named twice.
bool WrapDimensions(const Attribute& dimensions, int rank, std::uint32_t* bits);
// The shape after those dimensions were reduced.
Shape Reduced(const Shape& shape, std::uint32_t bits, bool keep);
// How many elements of `shape` those dimensions span.
std::int64_t ElementsAlong(const Shape& shape, std::uint32_t bits);

// Element i of an attribute that is a tuple, or one int for all dimensions.
std::int64_t At(const Attribute& attribute, int i);
// Whether it is one int, or a tuple of one or `count`.
bool HasForEach(const Attribute& attribute, int count);

// torch's result type of all operands: tensors without dimensions count only where their kind of
// dtype is above that of the others, and numbers less than those.
DType ResultDType(const OperatorUse& use);
// That of the first operand and a number (or of the operand alone, where it is no number).
DType WithNumber(const OperatorUse& use, const Attribute& number);
// What mathematics that has no integer results gives for this dtype.
inline DType FloatingOf(DType dtype) { return IsFloating(dtype) ? dtype : DType::kFloat32; }
// All operands' shapes broadcast. False where they do not fit.
bool BroadcastAll(const OperatorUse& use, Shape* shape);

// Infer functions of elementwise operators, over the dtypes that the operator takes.

// As the operand.
template <unsigned kinds>
bool InferSame(const OperatorUse& use, Types* results) {
  if (!Takes(kinds, use.operand(0).dtype)) return false;
  results->push_back(use.operand(0));
  return true;
}

// As the operand, and float32 for integers.
template <unsigned kinds = kAnyDType>
bool InferFloating(const OperatorUse& use, Types* results) {
  if (!Takes(kinds, use.operand(0).dtype)) return false;
  results->push_back({FloatingOf(use.operand(0).dtype), use.shape(0)});
  return true;
}

// Of operands that are promoted and broadcast.
template <unsigned kinds>
bool InferBroadcast(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  if (!Takes(kinds, type.dtype) || !BroadcastAll(use, &type.shape)) return false;
  results->push_back(type);
  return true;
}

template <unsigned kinds = kAnyDType>
bool InferFloatingBroadcast(const OperatorUse& use, Types* results) {
  if (!InferBroadcast<kinds>(use, results)) return false;
  results->back().dtype = FloatingOf(results->back().dtype);
  return true;
}

template <unsigned kinds = kAnyDType>
bool InferCompared(const OperatorUse& use, Types* results) {
  if (!InferBroadcast<kinds>(use, results)) return false;
  results->back().dtype = DType::kBool;
  return true;
}

}  // namespace kernelmill
