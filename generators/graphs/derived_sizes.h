// What a size is that was drawn to fit a result: found by computing the shapes of the graph at
// several sizes, at all of which it holds.
#pragma once

#include <span>
#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

struct DerivedSize {
  std::int16_t variable = kNoVariable;
  bool is_number = false;  // The same at all sizes.
  SizeFormula formula;     // Of variables that follow from none. Not given where none was found.
};

// One a link, in their order. `memory` is overwritten.
std::vector<DerivedSize> DerivedSizes(const OperatorGraph& graph, std::span<const SizeLink> links,
                                      OperatorGraph* memory);

}  // namespace kernelmill
