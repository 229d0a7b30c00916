// Plans the answer to a graph: divides it into fusion groups (FuseGraph), picks a strategy for each
// group, lets it write the CUDA text of the group's kernels, names everything, and lets equal
// groups share one function. LowerGraph() (lower_graph.h) calls it and has AnswerText() paste the
// plan into one text.
#pragma once

#include <optional>
#include <string>

#include "generators/lowering/lowering_plan.h"
#include "generators/lowering/module_text.h"

namespace kernelmill {

struct LoweringOptions {
  const KernelBackend* backend = &kCudaBackend;
  bool fuse = true;
  // Selects among the strategies that fit a group: the one `variant` places after the first, modulo
  // their number.
  int variant = 0;
};

struct LoweringPlanning {
  std::optional<LoweringPlan> plan;
  // Why there is no plan: the name of an operator, or the name and the unsupported property.
  std::string obstacle;
};

// Sets `obstacle` when no strategy fits some group.
LoweringPlanning PlanLowering(const OperatorGraph& graph, const ModuleText& module,
                              const LoweringOptions& options);

}  // namespace kernelmill
