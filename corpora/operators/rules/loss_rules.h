// Rules that the rows of loss operators share (corpora/operators/table/losses.cc, margin_losses.cc
// and class_losses.cc). Each loss computes a tensor of element losses, which its last attribute,
// `reduction`, reduces to a mean or a sum or leaves as it is.
#pragma once

#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"

namespace kernelmill {

inline constexpr std::string_view kReductions[] = {"mean", "sum", "none", "batchmean"};
inline constexpr int kMean = 0, kSum = 1, kNone = 2;

inline int ReductionOf(const OperatorUse& use) { return use.attributes.back().choice(); }
// Without "batchmean", which only kl_div has.
inline AttributeRow ReductionAttribute() {
  return ChoiceOf("reduction", std::span(kReductions).first(3));
}

// Appends the result's type; `type` is the type of the element losses.
bool InferReducedLoss(const OperatorUse& use, TensorType type, Types* results);
// Appends the result's range; `element` is the range of one element loss, `count` their number.
bool AppendReducedLossRange(const OperatorUse& use, DType dtype, const Range& element,
                            std::int64_t count, Ranges* results);

// The element losses have the promoted dtype and broadcast shape of all operands.
template <unsigned kinds = kFloats>
bool InferLoss(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  return Takes(kinds, type.dtype) && BroadcastAll(use, &type.shape) &&
         InferReducedLoss(use, type, results);
}
// Like InferLoss, but the operands must have the same shape.
bool InferLossOfOneShape(const OperatorUse& use, Types* results);
// The number of element losses.
std::int64_t CountElementLosses(const OperatorUse& use);

}  // namespace kernelmill
