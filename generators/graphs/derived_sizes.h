// Finds formulas for sizes that were drawn to fit a computed result, by inferring the shapes of the
// graph at several sizes. A formula holds at all of them.
#pragma once

#include <span>
#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

struct DerivedSize {
  std::int16_t variable = kNoVariable;
  bool is_number = false;  // The same number at all sizes.
  // In terms of variables that are not derived. Not given when none was found.
  SizeFormula formula;
};

// One result per link, in order. `memory` is overwritten.
std::vector<DerivedSize> DerivedSizes(const OperatorGraph& graph, std::span<const SizeLink> links,
                                      OperatorGraph* memory);

}  // namespace kernelmill
