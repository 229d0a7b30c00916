// Encodes operators as bytes to be hashed; equal bytes mean that torch computes the same.
// canonical_hash.h hashes graphs with it.
#pragma once

#include <string>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// Whether the node is a view, copy or cast whose result has the same type as its first operand.
bool ChangesNothing(const OperatorGraph& graph, const Node& node);

// Appends a variable-length integer with seven bits per byte and the sign in the lowest bit, so
// that most numbers take one or two bytes.
void AppendNumber(std::int64_t value, std::string* text);

// Appends the operator and its attributes; `shapes` false leaves sizes out. These are written
// alike: a number and a tuple of that number; the last dimension and dimension -1; integers and
// integral floats; a stride and the kernel size that it defaults to; x[2:5] and x.narrow(0, 2, 3);
// relu6 and hardtanh from 0 to 6; clamp and its one-sided forms. Attributes that only say which
// operands exist are left out.
void AppendOperator(const OperatorGraph& graph, const Node& node, bool shapes, std::string* text);

}  // namespace kernelmill
