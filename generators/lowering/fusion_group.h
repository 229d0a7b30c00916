// Partitions the operators of a graph into groups, each of which is computed by one function.
#pragma once

#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// Either a head with the elementwise operators after it (and, for reductions, before it), or
// elementwise operators alone. All outputs have the shape of the head's result, the group's domain.
struct FusionGroup {
  std::vector<int> nodes;        // In the graph's order.
  int head = -1;                 // The node, or -1.
  // The reference computes it with a torch.nn module, which is in training mode.
  bool head_is_module = false;
  std::vector<ValueId> inputs;   // In order of first use.
  std::vector<ValueId> outputs;  // Results that other groups read, in the graph's order.
};

// One step of forward(): a group's kernels, or a view that torch makes.
struct LoweringStep {
  int group = -1;  // An index into FusionPlan::groups, or -1.
  int view = -1;   // The node of the view, or -1.
};

struct FusionPlan {
  std::vector<FusionGroup> groups;
  std::vector<LoweringStep> steps;  // In an order in which they can run.
};

struct FusionOptions {
  bool fuse = true;         // If false, every operator is a group of its own.
  bool copy_views = false;  // Views are groups too, and copy their operand.
  int max_nodes = 16;
  // By node: whether the reference computes it with a torch.nn module.
  std::vector<bool> modules = {};
};

FusionPlan FuseGraph(const OperatorGraph& graph, const FusionOptions& options = {});

// Whether a reduction may compute elements of the node when it reads them.
bool TakesProducers(const OperatorGraph& graph, const Node& node);

}  // namespace kernelmill
