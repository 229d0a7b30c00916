// Captures one forward() of a module in the torch worker, without data: which calls it makes on
// which tensors. The first half of reading a module's graph; CaptureGraph() (graph_capture.h) is
// the second. Used where "answer" reads tasks, "admit" compares them with benchmarks, and coverage
// is measured.
#pragma once

#include <string>

#include "stages/capture/captured_run.h"
#include "stages/verify/reference/size_sets.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

struct ModuleCapture {
  std::string problem;  // Why torch could not run it without data; empty if it could.
  CapturedRun run;
};

// `code` is Python in the KernelBench convention. `sizes` gives new values for some of its sites. A
// Status that is not ok is a failure of the worker.
Result<ModuleCapture> CaptureModule(const std::string& code, const Sizes& sizes,
                                    TorchWorker* worker);

}  // namespace kernelmill
