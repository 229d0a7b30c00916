// Groups the operators of a graph: one function computes each group.
#pragma once

#include <vector>

#include "corpora/operators/operator_graph.h"

namespace kernelmill {

// A head with the elementwise operators before it (of reductions) and after it, or elementwise
// operators alone. All outputs have the shape of the head's result, the group's domain.
struct FusionGroup {
  std::vector<int> nodes;        // In the graph's order.
  int head = -1;                 // The node, or -1.
  bool head_is_module = false;   // A torch.nn module stands for it, which is in training mode.
  std::vector<ValueId> inputs;   // In order of first use.
  std::vector<ValueId> outputs;  // Results that other groups read, in the graph's order.
};

// One step of forward(): a group's kernels, or a view that torch makes.
struct LoweringStep {
  int group = -1;  // Into FusionPlan::groups,
  int view = -1;   // or the node.
};

struct FusionPlan {
  std::vector<FusionGroup> groups;
  std::vector<LoweringStep> steps;  // In an order in which they can run.
};

struct FusionOptions {
  bool fuse = true;         // False: every operator is a group.
  bool copy_views = false;  // Views are groups too, which copy.
  int max_nodes = 16;
  std::vector<bool> modules = {};  // Of each node, whether a torch.nn module stands for it.
};

FusionPlan FuseGraph(const OperatorGraph& graph, const FusionOptions& options = {});

// Whether elements of the node may be computed where a reduction reads them.
bool TakesProducers(const OperatorGraph& graph, const Node& node);

}  // namespace kernelmill
