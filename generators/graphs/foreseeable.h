// Recognizes results that are known without computing: all elements are equal, or nearly all. A
// task that ends in such a result teaches nothing, and wrong answers to it would pass.
#pragma once

#include <span>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// Whether the result of `op` on `first` is foreseeable from its attributes and the range of its
// operand.
bool IsForeseeable(const OperatorRow& op, std::span<const Attribute> attributes,
                   const Value& first);

// The largest number of elements per result of `all` or `any` for which inputs can be drawn so that
// about half of the results are true. It is limited because the threshold is compared with float32
// numbers.
inline constexpr std::int64_t kMostOfTruth = std::int64_t{1} << 20;

// Whether `op` is all or any. Their result varies only if the input is drawn for it.
bool AsksForTruth(const OperatorRow& op);

}  // namespace kernelmill
