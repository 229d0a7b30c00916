#include "stages/retry/retry_group.h"

#include "corpora/records/sandbox_attack.h"
#include "manifests/json.h"

namespace kernelmill {
namespace {

bool CanBeShown(const RetrySample& sample) {
  return !sample.code.empty() && sample.verdict.reason != "too_long" && IsUtf8(sample.code);
}

}  // namespace

GroupOutcome GroupOutcomeOf(const RetryGroup& group, const RetryOptions& options) {
  GroupOutcome outcome;
  std::int64_t scored = 0;
  bool attacked = false;
  for (const RetrySample& sample : group.samples) {
    if (!IsAboutCandidate(sample.verdict.status)) continue;
    ++scored;
    if (sample.verdict.status == VerdictStatus::kCorrect) outcome.solved = true;
    if (!CanBeShown(sample)) continue;
    if (HasSandboxAttack(sample.verdict)) {
      attacked = true;
    } else if (outcome.closest == nullptr ||
               CameCloser(sample.verdict, sample.id, outcome.closest->verdict,
                          outcome.closest->id)) {
      outcome.closest = &sample;
    }
  }
  outcome.failed = !outcome.solved && scored >= options.min_scored;
  if (!outcome.failed) outcome.closest = nullptr;
  if (outcome.failed && outcome.closest == nullptr) {
    outcome.why_none = attacked ? kOnlyAttacks : kNoCodeToRetry;
  }
  return outcome;
}

}  // namespace kernelmill
