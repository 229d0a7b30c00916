// A reply of the worker to a request of kind "symbolic", checked against what was measured.
#pragma once

#include <string>

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"

namespace kernelmill {

struct SymbolicVerdict {
  SymbolicShapes shapes;
  // Not empty: the symbols, put at their values, give another shape than torch computed here.
  std::string disagreement;
};

// kWorker when the reply is none that the worker sends.
Result<SymbolicVerdict> JudgeSymbolicReply(const Json& reply, const Task& task,
                                           const Annotation& annotation);

}  // namespace kernelmill
