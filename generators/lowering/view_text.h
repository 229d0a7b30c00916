// Views in Python: what forward() does to tensors without moving an element.
#pragma once

#include <string>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// "x.transpose(1, 2)", where `operand` is "x". Empty for a view that this does not know.
std::string ViewText(const OperatorGraph& graph, const Node& node, const std::string& operand);

}  // namespace kernelmill
