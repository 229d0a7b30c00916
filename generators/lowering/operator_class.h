// Classes of operators by how kernels compute them.
#pragma once

#include <cstdint>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

enum class OperatorClass : std::uint8_t {
  kElementwise,  // The result's element is an expression of the operands' elements.
  kConstant,     // Elements follow from their coordinates: ones, arange.
  kView,         // No element moves.
  kHead,         // Everything else: the operator that a kernel is built around.
};

OperatorClass ClassOf(const OperatorGraph& graph, const Node& node);

// Whether every operator of the graph only moves elements.
bool OnlyMovesData(const OperatorGraph& graph);

// Of one value in torch's own rules.
OperatorUse UseOf(const OperatorGraph& graph, const Node& node,
                  std::vector<const TensorType*>* operands);
// The C++ expression of an elementwise node; empty where it has none.
std::string_view ScalarOf(const OperatorGraph& graph, const Node& node);
// What it is computed in.
DType ScalarTypeOf(const OperatorGraph& graph, const Node& node);
// Index of an attribute by its name; -1 where the row has none of it.
int FindAttribute(const OperatorRow& op, std::string_view name);
const Attribute& AttributeOf(const OperatorGraph& graph, const Node& node, std::string_view name);
// An integer attribute that counts dimensions, from 0; `rank` is that of the first operand.
int DimensionOf(const OperatorGraph& graph, const Node& node, std::string_view name, int rank);

}  // namespace kernelmill
