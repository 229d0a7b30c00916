// Checks the worker's symbolic shapes of a task against the shapes that a run measured.
#pragma once

#include <string>

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"

namespace kernelmill {

struct SymbolicVerdict {
  SymbolicShapes shapes;
  // Not empty when the symbols, with their values substituted, give another shape than was
  // measured.
  std::string disagreement;
};

// `reply` answers a request of kind "symbolic". kWorker when it is malformed.
Result<SymbolicVerdict> JudgeSymbolicReply(const Json& reply, const Task& task,
                                           const Annotation& annotation);

}  // namespace kernelmill
