// The order in which the dimensions of a tensor lie in memory, and whether kernels that read it by
// its strides find neighbours there. Contractions and elementwise strategies ask for it to give
// neighbouring threads neighbouring elements.
#pragma once

#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// The dimension of the first operand for each dimension of the result of a node that permutes them;
// the same dimensions for other nodes.
std::vector<int> OperandDimensions(const OperatorGraph& graph, const Node& node);

// The dimensions from the outermost to the innermost in memory, in the layouts of the task: {1, 0}
// for a transposed matrix.
std::vector<int> MemoryOrder(const OperatorGraph& graph, ValueId id);
// Whether that is another order than that of a contiguous tensor.
bool IsPermuted(const OperatorGraph& graph, ValueId id);

}  // namespace kernelmill
