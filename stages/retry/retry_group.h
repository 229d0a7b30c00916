// The samples of one prompt in one round, and what they mean for the retry buffer
// (retry_round.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/retry/retry_entry.h"
#include "stages/retry/retry_options.h"

namespace kernelmill {

struct RetrySample {
  Digest id;         // The content_id of the sample; equal samples share one.
  std::string code;  // The Python that was judged; empty if the sample has none.
  Verdict verdict;
};

struct RetryGroup {
  RetryKey key;
  // Whether the prompt was that of an entry (repair_prompt.h), and not the task's own.
  bool retry = false;
  std::vector<RetrySample> samples;
};

// Names of what a group means that counts and failed but brings no entry, for
// RetryChanges::passed_by. Every answer has no code that can be shown: none, one over a megabyte,
// one that is not UTF-8, or one that must not be published (stages/publishable/forbidden_text.h).
inline constexpr std::string_view kNoCodeToRetry = "no_code";
// Every other answer is an attack on the sandbox, which never enters a context.
inline constexpr std::string_view kOnlyAttacks = "only_attacks";
// Its task is parked.
inline constexpr std::string_view kParkedBefore = "parked";
// The group does not count: fewer than RetryOptions::min_scored of its samples were scored.
inline constexpr std::string_view kTooFewScored = "too_few_scored";

// What a group says.
struct GroupOutcome {
  // A scored sample is correct. One is enough, however few were scored: it shows that the task can
  // be solved.
  bool solved = false;
  bool failed = false;  // At least min_scored samples were scored, and none is correct.
  // The answer to show, where `failed`: CameCloser() than all others that may be shown. Null with
  // `why_none` when none may be.
  const RetrySample* closest = nullptr;
  std::string_view why_none;
};

// Pure. The result points into `group`. Samples count as scored when IsAboutCandidate() holds for
// their status.
GroupOutcome GroupOutcomeOf(const RetryGroup& group, const RetryOptions& options);

}  // namespace kernelmill
