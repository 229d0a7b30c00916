// Classes of operators by how kernels compute them, and access to the attributes and the types of a
// graph's node. Fusion and all strategies ask for them.
#pragma once

#include <cstdint>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

enum class OperatorClass : std::uint8_t {
  kElementwise,  // An element of the result is an expression of the operands' elements.
  kConstant,     // Elements follow from their coordinates: ones, arange.
  kView,         // No element is moved.
  kHead,         // All others: operators that a kernel is built around.
};

OperatorClass ClassOf(const OperatorGraph& graph, const Node& node);

// Whether the operator, or every operator of the graph, only moves elements.
bool OnlyMovesData(const OperatorRow& op);
bool OnlyMovesData(const OperatorGraph& graph);

// The node as the operator's rules see it. `operands` holds the types that the result points to.
OperatorUse UseOf(const OperatorGraph& graph, const Node& node,
                  std::vector<const TensorType*>* operands);
// The C++ expression of an elementwise node; empty when it has none.
std::string_view ElementExpressionOf(const OperatorGraph& graph, const Node& node);
// The dtype that the node computes in.
DType ComputeDTypeOf(const OperatorGraph& graph, const Node& node);
// The index of an attribute by its name; -1 when the row does not have it.
int FindAttribute(const OperatorRow& op, std::string_view name);
const Attribute& AttributeOf(const OperatorGraph& graph, const Node& node, std::string_view name);
// An integer attribute that is a dimension, wrapped to [0, rank); `rank` is that of the first
// operand.
int DimensionOf(const OperatorGraph& graph, const Node& node, std::string_view name, int rank);
// The number of dimensions that a pooling operator pools, which its name says: 2 for "max_pool2d".
int PooledDimensions(std::string_view name);

}  // namespace kernelmill
