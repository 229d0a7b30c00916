// Reads the results of KernelBench's own evaluation, eval_results.json, and the times of its
// baseline (results/timing/HARDWARE/BASELINE.json in its repository), as samples to be scored, and
// computes from them what its analysis (scripts/benchmark_eval_analysis.py) prints.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/scores/scores.h"
#include "stages/scores/task_lookup.h"

namespace kernelmill {

// An entry of eval_results.json.
struct EvalEntry {
  std::int64_t sample = 0;  // "sample_id".
  bool compiled = false;
  bool correct = false;
  double runtime = -1;  // Milliseconds; not positive when the sample was not timed.
  // The status of our verdict, when `verify` wrote the file; otherwise empty.
  std::string status;
};
using EvalEntries = std::map<std::int64_t, std::vector<EvalEntry>>;  // By problem.

// kCorrupt, with the problem, when the file has another form, its key is no plain number, or it has
// two samples of the same number.
Result<EvalEntries> ReadEvalResults(const std::string& path);

// The baseline's mean milliseconds by the file names of one level's problems. kNotFound when the
// file has no such level.
Result<std::map<std::string, double>> ReadBaseline(const std::string& path, int level);
// The same times by the numbers that the names begin with.
std::map<std::int64_t, double> BaselineByNumber(const std::map<std::string, double>& baseline);

// The entries as samples of the tasks "level_<level>_problem_<number>". Entries with a status of
// ours count as it says. kCorrupt, with the problem, for times whose quotient no number holds.
Result<std::vector<ScoredSample>> SamplesOfEval(const EvalEntries& entries, int level,
                                                const std::map<std::int64_t, double>& baseline,
                                                const TaskLookup& lookup);

// What KernelBench's analysis prints for a level. It counts the sample 0 of each problem only, a
// problem without one as a failure, and samples that `verify` could not decide as failures too.
struct KernelBenchAnalysis {
  std::int64_t total_count = 0;  // Problems of the level in the checkout.
  std::int64_t total_eval = 0;   // Problems in eval_results.json.
  std::int64_t compiled_count = 0, correct_count = 0;
  std::int64_t aligned = 0;  // Problems of the checkout that the baseline has too.
  // By p: the share of the aligned problems whose sample is correct and more than p times as fast
  // as the baseline. Empty without a baseline, or when correct samples exist and none was timed.
  std::map<std::string, double> fast_p;
  // Over the correct samples of aligned problems; 0 without correct ones, as KernelBench has it.
  // std::nullopt without a baseline, or when a correct sample was not timed.
  std::optional<double> geo_mean_speedup;

  // The fields have the names of the analysis's own JSON; also "aligned_count".
  Json ToJson() const;
};

// `problems` has the file name of each problem of the level by its number; `baseline` is empty if
// there is none.
KernelBenchAnalysis AnalyseEval(const EvalEntries& entries,
                                const std::map<std::int64_t, std::string>& problems,
                                const std::map<std::string, double>& baseline);

}  // namespace kernelmill
