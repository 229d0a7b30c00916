// Tries a check on the right answers and mutants of its task, by having a judge judge a
// program made of each pair (checked_program.h). The step "check" keeps only checks that hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/check.h"
#include "generators/known_task/known_task.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

// The share, and the least number, of the tried mutants that a check has to catch.
inline constexpr double kCaughtShare = 0.8;
inline constexpr std::size_t kFewestCaught = 2;

enum class CheckFate {
  kHolds,
  kRefusesRight,  // It raises for a right answer, or a right answer could not be judged.
  kMissesBugs,
};

class CheckTrials {
 public:
  explicit CheckTrials(StoreUse store_use = StoreUse::kUse) : judges_(store_use) {}

  // Runs the check on right answers first and then on mutants; sets its `passed`, `caught` and
  // `missed`. A mutant that could not be judged is in none of them.
  Result<CheckFate> Try(const KnownTask& known, Check* check);

 private:
  Result<Verdict> Run(const KnownTask& known, const Candidate& candidate, const Check& check);

  JudgePool judges_;
};

// The mutants of the backend that give wrong results; those that are only slow are left out.
std::vector<const KnownCandidate*> WrongMutants(const KnownTask& known, std::string_view backend);

}  // namespace kernelmill
