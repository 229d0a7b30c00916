// The plan of an answer: C++ functions with the text of their kernels, which strategies write, and
// the lines of forward(). PlanLowering() makes it, and AnswerText() pastes its parts into the text
// of the answer.
#pragma once

#include <string>
#include <vector>

#include "corpora/kernel_backend.h"
#include "generators/lowering/call_plan.h"
#include "generators/lowering/device_definition.h"
#include "generators/lowering/host_function.h"
#include "manifests/json.h"

namespace kernelmill {

// A C++ function that forward() calls, and the device code that it launches.
struct PlannedFunction {
  std::string name;  // "linear_relu_forward"
  std::vector<std::string> kernels;
  DeviceDefinitions definitions;
  HostFunctionCode host;
};

// One line of forward(): a call of a function, or a view by torch.
struct PlannedLine {
  std::vector<std::string> results;  // The names that it assigns; "_" and "*_" for unused results.
  std::string view;                  // The Python expression of a view; empty for a call.
  int call = -1;                     // For a call: an index into LoweringPlan::calls.
  int function = -1;  // For a call: an index into LoweringPlan::functions. Equal groups share one.
  std::vector<std::string> arguments;  // For a call.
};

struct LoweringPlan {
  const KernelBackend* backend = &kCudaBackend;
  std::string headers;                     // #include lines of the device source.
  std::vector<PlannedFunction> functions;  // In the order of their first calls.
  std::vector<PlannedLine> lines;          // In the order of forward().
  std::vector<std::string> results;        // The names that forward() returns.
  std::vector<CallPlan> calls;             // One for each line that calls a function.
  std::vector<int> views;                  // The graph's nodes that are computed by torch views.

  // A description: one line for each line of forward(), with the strategy and launch of a call.
  std::string Text() const;
  Json ToJson() const;
};

}  // namespace kernelmill
