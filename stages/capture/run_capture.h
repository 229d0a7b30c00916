// Captures one forward() of a module in the torch worker, without data: which calls it makes on
// which tensors. The first half of reading a module's graph; GraphOfRun() (captured_graph.h) is the
// second. Used where "answer" reads tasks, drawn ones too, "admit" compares them with benchmarks,
// and coverage is measured. `sizes` changes numbers in the text first, to capture it at other
// sizes.
#pragma once

#include <string>

#include "stages/capture/captured_run.h"
#include "stages/verify/reference/size_sets.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

// `code` is Python in the KernelBench convention. `sizes` gives new values for some of its sites.
// If torch cannot run it without data, CapturedRun::obstacle says why. A Status that is not ok is a
// failure of the worker.
Result<CapturedRun> CaptureRun(const std::string& code, const Sizes& sizes, TorchWorker* worker);

}  // namespace kernelmill
