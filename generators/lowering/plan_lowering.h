// Plans the answer to a graph: groups of operators (FuseGraph), a strategy for each group, names,
// and one function for groups that are the same.
#pragma once

#include <optional>
#include <string>

#include "generators/lowering/lowering_plan.h"
#include "generators/lowering/module_text.h"

namespace kernelmill {

struct LoweringOptions {
  const KernelBackend* backend = &kCudaBackend;
  bool fuse = true;
  // Which of the strategies that fit a group is taken: the one so many places after the first,
  // counted round and round.
  int variant = 0;
};

struct LoweringPlanning {
  std::optional<LoweringPlan> plan;
  // Why there is no plan: an operator, or an operator and what about it.
  std::string refusal;
};

// A graph that no strategy fits is refused.
LoweringPlanning PlanLowering(const OperatorGraph& graph, const ModuleText& module,
                              const LoweringOptions& options);

}  // namespace kernelmill
