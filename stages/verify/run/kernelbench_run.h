// Reads KernelBench's run folders (generated answers to its problems), for `verify`, and writes the
// results file that KernelBench's own analysis reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"
#include "stages/verify/run/verify_item.h"
#include "stages/verify/run/verify_run.h"

namespace kernelmill {

// A run folder (level_2_problem_7_sample_0_kernel.py, …) with the problems of a checkout of
// KernelBench. `level` 0 takes every level. Keys are the file names without "_kernel.py", in order
// of level, problem and sample. kNotFound: the folder holds no such file, or a problem is missing.
Result<std::vector<VerifyItem>> ReadKernelBenchRun(const std::string& checkout,
                                                   const std::string& run, int level);

// KernelBench's eval_results.json for the verdicts of such a run under a policy: {"<problem>":
// [{"sample_id", "compiled", "correctness", "metadata", "runtime", "runtime_stats"}]}. Times are
// -1 because there is no device.
std::string EvalResults(const std::vector<VerdictLine>& lines, std::string_view policy);

}  // namespace kernelmill
