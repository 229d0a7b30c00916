// Finds how the sizes that were drawn to fit a computed result (SizeLink) follow from the other
// sizes of a drawn graph: infers the graph's shapes at several sizes, and searches for a constant
// or a formula that holds at all of them. GraphDraft::DeriveSizes() calls it for each finished
// graph.
#pragma once

#include <span>
#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

struct DerivedSize {
  std::int16_t variable = kNoVariable;
  bool is_constant = false;  // It has the same value at all sizes that were tried.
  // In terms of variables that are not derived. Not given when none was found.
  SizeFormula formula;
};

// One result per link, in order. `scratch` is overwritten.
std::vector<DerivedSize> DerivedSizes(const OperatorGraph& graph, std::span<const SizeLink> links,
                                      OperatorGraph* scratch);

}  // namespace kernelmill
