// Tries a check on the candidates of its task.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/check.h"
#include "generators/known_task/known_task.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

// What a check has to find of the mutants that it is tried on, and at least how many.
inline constexpr double kCaughtShare = 0.8;
inline constexpr std::size_t kFewestCaught = 2;

enum class CheckFate {
  kHolds,
  kRefusesRight,  // It raises for a right answer, or nothing can be said of one.
  kMissesBugs,
};

class CheckTrials {
 public:
  explicit CheckTrials(VerdictCache cache = VerdictCache::kUse) : judges_(cache) {}

  // Runs it on right answers first, and then on mutants; fills in `passed`, `caught` and `missed`.
  // A mutant of which nothing can be said is in none of them.
  Result<CheckFate> Try(const KnownTask& known, Check* check);

 private:
  Result<Verdict> Run(const KnownTask& known, const Candidate& candidate, const Check& check);

  JudgePool judges_;
};

// Mutants of the backend that do the wrong thing; slow ones do the right one.
std::vector<const KnownCandidate*> WrongMutants(const KnownTask& known, std::string_view backend);

}  // namespace kernelmill
