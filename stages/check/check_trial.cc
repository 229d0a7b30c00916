#include "stages/check/check_trial.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/perturbation/bug.h"
#include "stages/check/checked_program.h"

namespace kernelmill {

std::vector<const KnownCandidate*> WrongMutants(const KnownTask& known, std::string_view backend) {
  std::vector<const KnownCandidate*> mutants;
  for (const KnownCandidate& item : known.candidates) {
    const BugClass* const bug = FindBug(item.candidate.bug);
    if (bug == nullptr || bug->failure == FailureClass::kSlowness) continue;
    if (item.candidate.backend == backend) mutants.push_back(&item);
  }
  return mutants;
}

Result<Verdict> CheckTrials::Run(const KnownTask& known, const Candidate& candidate,
                                 const Check& check) {
  // A check may call functions that answers may not, so it runs under the policy without legality
  // rules.
  KM_ASSIGN(const KernelBackend* const backend, KernelBackendNamed(candidate.backend));
  return judges_.JudgeOrFail(
      {.policy = "kernelbench", .backend = backend, .contract = kAnyShapeAndLayout},
      known.task.code, CheckedProgram(known.task.code, candidate.code, check.code));
}

Result<CheckFate> CheckTrials::Try(const KnownTask& known, Check* check) {
  for (const KnownCandidate& item : known.candidates) {
    if (!item.candidate.IsAnswer() || item.candidate.backend != check->backend) continue;
    KM_ASSIGN(const Verdict verdict, Run(known, item.candidate, *check));
    if (verdict.status != VerdictStatus::kCorrect) return CheckFate::kRefusesRight;
    check->passed.push_back(item.id.Hex());
  }
  // Rejecting mutants that do not build proves little, so at least one of the caught mutants must
  // build.
  bool built = false;
  for (const KnownCandidate* mutant : WrongMutants(known, check->backend)) {
    KM_ASSIGN(const Verdict verdict, Run(known, mutant->candidate, *check));
    if (!IsAboutCandidate(verdict.status)) continue;
    const bool caught = verdict.status != VerdictStatus::kCorrect;
    (caught ? check->caught : check->missed).push_back(mutant->id.Hex());
    built = built || (caught && verdict.status != VerdictStatus::kNotBuilt);
  }
  const std::size_t tried = check->caught.size() + check->missed.size();
  const bool enough =
      static_cast<double>(check->caught.size()) >= kCaughtShare * static_cast<double>(tried);
  return built && enough && check->caught.size() >= kFewestCaught ? CheckFate::kHolds
                                                                  : CheckFate::kMissesBugs;
}

}  // namespace kernelmill
