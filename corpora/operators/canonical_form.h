// How operators are written down to be compared: what torch computes alike reads alike.
#pragma once

#include <string>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// A view, copy or conversion of something that is as it shall be.
bool ChangesNothing(const OperatorGraph& graph, const Node& node);

// Seven bits a byte, the sign folded in, so that most numbers take one or two bytes.
void AppendNumber(std::int64_t value, std::string* text);

// Appends the operator and its attributes. `shapes` false leaves sizes out. One number and a tuple
// of it are the same, the last dimension and dimension -1, integers and integral floats, a stride
// and the kernel size that it is by default, x[2:5] and x.narrow(0, 2, 3), relu6 and hardtanh from
// 0 to 6, clamp and its halves. Attributes that say which operands there are do not count: the
// operands do.
void AppendOperator(const OperatorGraph& graph, const Node& node, bool shapes, std::string* text);

}  // namespace kernelmill
