// Where candidates come from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/verify/batch/verify_batch.h"

namespace kernelmill {

// A run folder of KernelBench (level_2_problem_7_sample_0_kernel.py, …) with the problems of its
// checkout. `level` 0 takes every level. Keys are the file names without "_kernel.py", in order of
// level, problem and sample. kNotFound names the problem that is missing.
Result<std::vector<VerifyItem>> ReadKernelBenchRun(const std::string& checkout,
                                                   const std::string& run, int level);

// KernelBench's eval_results.json for the verdicts of such a run under a policy: {"<problem>":
// [{"sample_id", "compiled", "correctness", "metadata", "runtime", "runtime_stats"}]}. Times are
// -1: there is no device.
std::string EvalResults(const std::vector<VerdictLine>& lines, std::string_view policy);

// JSON lines {"task", "code"} or {"task", "message"}, and perhaps "id" and "backend": candidates
// for tasks of a dataset, named by content_id or as many of its first digits as make it unique.
// "message" is a model's whole answer. Keys are the ids, or the numbers of the lines. What is no
// such line is an item with a problem, which names the line; kCorrupt where all of them are.
Result<std::vector<VerifyItem>> ReadCandidates(const std::string& dataset, const std::string& path);

// Notes in the folder `output` whose verdicts go there: those of the list at `path`. kUsage when it
// has those of another list, unless that is how this one begins, or `fresh` gives them up.
Status ClaimForList(const std::string& output, const std::string& path, bool fresh);

}  // namespace kernelmill
