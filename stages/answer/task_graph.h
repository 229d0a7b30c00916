// A task as operators: its reference captured at its own sizes and at others, so that what follows
// the sizes is told from what is a number.
#pragma once

#include <optional>
#include <string>

#include "generators/lowering/module_text.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

struct TaskGraph {
  OperatorGraph graph;
  ModuleText module;
};

struct TaskGraphReading {
  std::optional<TaskGraph> task;
  // Why there is none: what the operator table, or an answer of ours, cannot say.
  std::string refusal;
};

// `code`: in the KernelBench convention. A Status is trouble with the worker.
Result<TaskGraphReading> ReadTaskGraph(const std::string& code, TorchWorker* worker);

}  // namespace kernelmill
