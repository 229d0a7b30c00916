// Partitions the operators of a graph into fusion groups: the first pass of PlanLowering(). Each
// group is computed by one C++ function of the answer, which launches one or several kernels
// (host_function.h).
#pragma once

#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// Either a head with the elementwise operators after it (and, for reductions, before it), or
// elementwise operators alone. All outputs have one shape, the group's domain, unless the head has
// several results: then no operator is fused behind it, and each result has its own shape.
struct FusionGroup {
  std::vector<int> nodes;        // In the graph's order.
  int head = -1;                 // The head's node, or -1.
  // The reference computes it with a torch.nn module, which is in training mode.
  bool head_is_module = false;
  std::vector<ValueId> inputs;   // In order of first use.
  // Results that other groups, views or the caller of forward() read, in the graph's order.
  std::vector<ValueId> outputs;
};

// One line of forward(): the call of a group's function, or a view that torch makes.
struct ForwardLine {
  int group = -1;  // An index into FusionPlan::groups, or -1.
  int view = -1;   // The node of the view, or -1.
};

struct FusionPlan {
  std::vector<FusionGroup> groups;
  std::vector<ForwardLine> lines;  // In an order in which they can run.
};

struct FusionOptions {
  bool fuse = true;         // If false, every operator is a group of its own.
  bool copy_views = false;  // Views are groups too, and copy their operand.
  int max_nodes = 16;
  // By node: whether the reference computes it with a torch.nn module.
  std::vector<bool> modules = {};
};

FusionPlan FuseGraph(const OperatorGraph& graph, const FusionOptions& options = {});

// Whether `node` is a reduction or a reduced loss whose kernel can compute the elementwise
// operators before it while it reads its operands.
bool CanTakeProducers(const OperatorGraph& graph, const Node& node);

}  // namespace kernelmill
