#include "corpora/statistics/candidate_statistics.h"

#include <algorithm>
#include <cmath>

namespace kernelmill {
namespace {

void AddAnswer(const Candidate& candidate, AnswerStatistics* statistics) {
  const Verdict& verdict = candidate.verdict;
  ++statistics->answers;
  statistics->memory_checked += candidate.memory_checked ? 1 : 0;
  statistics->races_checked += candidate.races_checked ? 1 : 0;
  const VerdictDevice& device = verdict.device;
  statistics->device_compiled += !device.compiler.empty() && device.unchecked.empty() ? 1 : 0;
  statistics->other_sizes +=
      std::any_of(verdict.trials.begin(), verdict.trials.end(),
                  [](const VerdictTrial& trial) { return trial.shapes == "grading"; });
  statistics->counted +=
      std::any_of(verdict.launches.begin(), verdict.launches.end(),
                  [](const VerdictLaunch& launch) { return launch.counts.has_value(); });
  statistics->not_taught += candidate.IsTaught() ? 0 : 1;
  if (candidate.estimated_speed > 0) {
    statistics->speeds.Add(std::llround(100 * candidate.estimated_speed));
  }
  ++statistics->policies[verdict.policy];
  ++statistics->verified_on[verdict.verified_on];
  ++statistics->full_size[verdict.full_size.state];
  for (const DesignedKernel& kernel : candidate.kernels) ++statistics->strategies[kernel.strategy];
  statistics->structures[candidate.task].insert(candidate.structure);
  statistics->trials.Add(static_cast<std::int64_t>(verdict.trials.size()));
}

}  // namespace

Distribution AnswerStatistics::StructuresPerTask() const {
  Distribution ways;
  for (const auto& [task, of_task] : structures) {
    ways.Add(static_cast<std::int64_t>(of_task.size()));
  }
  return ways;
}

void CheckStatistics::Add(const Check& check) {
  ++checks;
  passed += static_cast<std::int64_t>(check.passed.size());
  caught += static_cast<std::int64_t>(check.caught.size());
  missed += static_cast<std::int64_t>(check.missed.size());
  ++forms[check.construction];
  for (const CheckAspect& aspect : check.aspects) ++aspects[aspect.name];
}

void CandidateStatistics::Add(const Candidate& candidate) {
  const std::string status(StatusName(candidate.verdict.status));
  ++statuses[candidate.backend + ' ' + status];
  // A mutant counts as such even if it is correct, because some bugs only make a kernel slow.
  if (!candidate.bug.empty()) {
    ++bugs[candidate.bug][status];
  } else if (candidate.IsAnswer()) {
    AddAnswer(candidate, &answers[candidate.backend]);
  }
}

}  // namespace kernelmill
