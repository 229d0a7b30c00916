// Lowers a graph to an answer: a Python text that defines ModelNew, whose forward() launches its
// own kernels. The passes form groups (fusion_group.h), plan the kernels (plan_lowering.h) and
// write the text (answer_text.h). Pure functions: any thread may call them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/estimated_speed.h"
#include "generators/lowering/plan_lowering.h"

namespace kernelmill {

struct LoweredAnswer {
  std::string text;
  const KernelBackend* backend = &kCudaBackend;
  std::vector<CallPlan> calls;      // One for each call that forward() makes, in its order.
  std::vector<int> views;           // The graph's nodes that are computed by torch views.
  SpeedEstimate speed;

  // Answers that use the same strategies for the same groups have the same structure.
  std::string Structure() const;
};

struct Lowering {
  std::optional<LoweredAnswer> answer;
  // Why there is no answer (LoweringPlanning::obstacle).
  std::string obstacle;
};

Lowering LowerGraph(const OperatorGraph& graph, const ModuleText& module,
                    const LoweringOptions& options);

// At most `count` answers of different structure: with fused groups before unfused, and within each
// by the order of preference of the strategies (AllStrategies()), not by estimated speed. If there
// is none, `obstacle` (may be null) gets the reason why the first variant failed.
std::vector<LoweredAnswer> LowerInVariants(const OperatorGraph& graph, const ModuleText& module,
                                           const KernelBackend& backend, int count,
                                           std::string* obstacle = nullptr);

}  // namespace kernelmill
