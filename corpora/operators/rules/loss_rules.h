// What losses share: their elements, and what the attribute `reduction`, their last, makes of them.
#pragma once

#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

inline constexpr std::string_view kReductions[] = {"mean", "sum", "none", "batchmean"};
inline constexpr int kMean = 0, kSum = 1, kNone = 2;

inline int ReductionOf(const OperatorUse& use) { return use.attributes.back().choice(); }
// Without batchmean, which kl_div alone has.
inline AttributeRow Reduction() { return ChoiceOf("reduction", std::span(kReductions).first(3)); }

// `type` is that of the elements.
bool Reduce(const OperatorUse& use, TensorType type, Types* results);
// The same of ranges, of `count` elements.
bool ReduceRange(const OperatorUse& use, DType dtype, const Range& element, std::int64_t count,
                 Ranges* results);

// Elements of all operands, promoted and broadcast.
template <unsigned kinds = kFloats>
bool InferLoss(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  return Takes(kinds, type.dtype) && BroadcastAll(use, &type.shape) && Reduce(use, type, results);
}
// The same where operands have to be of one shape.
bool InferAligned(const OperatorUse& use, Types* results);
// How many elements there are before the reduction.
std::int64_t ReducedElements(const OperatorUse& use);

}  // namespace kernelmill
