// Writes a view as the Python expression that forward() of an answer contains. A view moves no
// elements, except that `.reshape` copies a tensor whose strides allow no view. Called by
// PlanLowering() for the views of a graph.
#pragma once

#include <string>
#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// "x.transpose(1, 2)": `operands` are Python expressions, and `attributes` the texts of the node's
// attributes, with "@" for the first operand. Empty for an unknown view.
std::string ViewText(const OperatorGraph& graph, const Node& node,
                     const std::vector<std::string>& operands,
                     const std::vector<std::string>& attributes);

}  // namespace kernelmill
