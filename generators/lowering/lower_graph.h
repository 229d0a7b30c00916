// A graph as an answer: a Python text that defines ModelNew, whose forward() runs kernels of its
// own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/kernel_backend.h"
#include "corpora/operators/operator_graph.h"
#include "generators/lowering/estimated_speed.h"
#include "generators/lowering/kernel_plan.h"
#include "generators/lowering/module_text.h"

namespace kernelmill {

struct LoweringOptions {
  const KernelBackend* backend = &kCudaBackend;
  bool fuse = true;
  // Of the strategies that fit a group, which one is taken: this many after the first, round and
  // round.
  int variant = 0;
};

struct LoweredAnswer {
  std::string text;
  const KernelBackend* backend = &kCudaBackend;
  std::vector<KernelPlan> kernels;  // In the order in which forward() runs them.
  std::vector<int> views;           // Nodes that torch's views stand for.
  SpeedEstimate speed;

  // What makes two answers differ in structure: strategies and groups.
  std::string Structure() const;
};

struct Lowering {
  std::optional<LoweredAnswer> answer;
  // Why there is none: an operator, or an operator and what about it.
  std::string refusal;
};

Lowering LowerGraph(const OperatorGraph& graph, const ModuleText& module,
                    const LoweringOptions& options);

// Answers that differ in structure, best first, at most `count`. Where there is none, `refusal` gets
// why the first way is none (Lowering::refusal); it may be null.
std::vector<LoweredAnswer> LowerInWays(const OperatorGraph& graph, const ModuleText& module,
                                       const KernelBackend& backend, int count,
                                       std::string* refusal = nullptr);

}  // namespace kernelmill
