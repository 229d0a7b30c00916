// The Python expressions of views, which move no elements.
#pragma once

#include <string>
#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// "x.transpose(1, 2)", where `operands` begin with "x" and `attributes` are the texts of the node's
// attributes, with "@" for the operand. Empty for a view that this does not know.
std::string ViewText(const OperatorGraph& graph, const Node& node,
                     const std::vector<std::string>& operands,
                     const std::vector<std::string>& attributes);

}  // namespace kernelmill
