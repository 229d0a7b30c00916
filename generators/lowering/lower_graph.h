// Lowers a graph to an answer: a Python text that defines ModelNew, whose forward() runs kernels of
// its own. The passes are groups (fusion_group.h), a plan (plan_lowering.h) and its text
// (answer_text.h). Pure functions: any thread may call them.
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
  std::vector<KernelPlan> kernels;  // One for each call of forward(), in its order.
  std::vector<int> views;           // The graph's nodes that torch's views stand for.
  SpeedEstimate speed;

  // Answers with equal strategies for equal groups have the same structure.
  std::string Structure() const;
};

struct Lowering {
  std::optional<LoweredAnswer> answer;
  // Why there is no answer (LoweringPlanning::refusal).
  std::string refusal;
};

Lowering LowerGraph(const OperatorGraph& graph, const ModuleText& module,
                    const LoweringOptions& options);

// Answers of different structure, best first, at most `count`. Where there is none, `refusal` gets
// the reason why the first variant is none; it may be null.
std::vector<LoweredAnswer> LowerInVariants(const OperatorGraph& graph, const ModuleText& module,
                                           const KernelBackend& backend, int count,
                                           std::string* refusal = nullptr);

}  // namespace kernelmill
