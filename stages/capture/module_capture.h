// A module captured in the worker's sandbox, without data.
#pragma once

#include <string>

#include "stages/capture/captured_run.h"
#include "stages/verify/reference/size_sets.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

struct ModuleCapture {
  std::string problem;  // Why torch could not run it without data; empty where it could.
  CapturedRun run;
};

// `code`: in the KernelBench convention. `sizes`: of its sites, those that get another value. A
// Status is trouble with the worker.
Result<ModuleCapture> CaptureModule(const std::string& code, const Sizes& sizes,
                                    TorchWorker* worker);

}  // namespace kernelmill
