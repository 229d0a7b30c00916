// Reads the operator graph of a task from its Python text, for AnswerTask() (task_answers.h), which
// lowers it to kernels. The text is captured in the torch worker at its own sizes and at others, to
// distinguish numbers that depend on the sizes from constants.
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
  // Why there is none: what the operator table, or a generated answer, cannot express.
  std::string obstacle;
};

// `reference`: Python in the KernelBench convention. A Status that is not ok is a failure of the
// worker.
Result<TaskGraphReading> ReadTaskGraph(const std::string& reference, TorchWorker* worker);

}  // namespace kernelmill
