// Estimates an answer's speed on a GPU relative to eager PyTorch, from its kernel plans and from
// measurements of its strategies (measured_speed.h). Called by LowerGraph() for every answer.
#pragma once

#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/lowering/call_plan.h"

namespace kernelmill {

// Eager's time divided by the answer's, to two significant digits; 0 without calls.
struct SpeedEstimate {
  // By a model: eager takes for each operator the time that its FLOPs or bytes need on a full
  // device; the answer takes for each call the time that those of its group need on the part of
  // the device that its threads fill.
  double modelled = 0;
  // As `modelled`, with the time of each call divided by the measured speed of its strategy
  // relative to this model (measured_speed.h). A call whose strategy was not measured keeps its
  // modelled time. `answer` stores it as Candidate::estimated_speed.
  double calibrated = 0;
};
SpeedEstimate EstimateSpeed(const OperatorGraph& graph, const std::vector<CallPlan>& calls);

}  // namespace kernelmill
