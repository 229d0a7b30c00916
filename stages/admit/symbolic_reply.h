// Reads the worker's symbolic shapes of a task and checks them: with the sizes put in for the
// symbols, they must equal the shapes that a run measured (`annotation`). Called by Admission for
// every task that is about to be admitted, unless it has too many operators or its annotation is
// truncated.
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
