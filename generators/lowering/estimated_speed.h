// Estimates an answer's speed on a GPU relative to eager PyTorch, from measurements of its
// strategies.
#pragma once

#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/lowering/kernel_plan.h"

namespace kernelmill {

// Eager's time over the answer's, two significant digits; 0 without kernels.
struct SpeedEstimate {
  // Eager takes for each operator the time that its flops or its bytes need on a full device, ours
  // for each kernel what its group's need on as much of it as its threads fill.
  double modelled = 0;
  // With each kernel's time divided by what its strategy measured beside such models; what nothing
  // has measured counts as modelled.
  double measured = 0;
};
SpeedEstimate EstimateSpeed(const OperatorGraph& graph, const std::vector<KernelPlan>& kernels);

}  // namespace kernelmill
