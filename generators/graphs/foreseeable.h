// Results that can be told without looking at the numbers: every element is the same, or nearly. A
// task that ends in one teaches nothing, and wrong answers to it are right.
#pragma once

#include <span>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// Of `op` applied to `first`, as its attributes and the range of its numbers say it.
bool IsForeseeable(const OperatorRow& op, std::span<const Attribute> attributes,
                   const Value& first);

// Whether all, or any, of so many elements can be made as likely true as false: the numbers that
// decide it are single precision.
inline constexpr std::int64_t kMostOfTruth = std::int64_t{1} << 20;

// all and any: true for every second tensor only where the input is drawn for it.
bool AsksForTruth(const OperatorRow& op);

}  // namespace kernelmill
