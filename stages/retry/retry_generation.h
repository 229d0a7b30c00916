// The retry buffer of MusaCoder's Buffered Dynamic Retry (arXiv 2606.04847): tasks that no sample
// of a group solved come back in later rounds, as tasks to repair the answer that came closest.
//
// The buffer is a chain of generations, which do not change. Round n reads generation n - 1, draws
// its retries from it (retry_draw.h), asks, judges, and makes generation n from what came back
// (retry_round.h). Until that is written (retry_file.h) nothing has happened: a round that is
// killed draws the same retries again. What the paper leaves open is marked as ours in
// retry_options.h and retry_round.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/retry/retry_changes.h"
#include "stages/retry/retry_entry.h"
#include "stages/retry/retry_options.h"

namespace kernelmill {

// A task that every retry failed: perhaps it cannot be solved, or its reference is wrong.
struct ParkedTask {
  RetryKey key;
  std::int64_t round = 0;  // In which it was parked.
  Digest sample;           // The answer that came closest.

  Json ToJson() const;
  static Result<ParkedTask> FromJson(const Json& json);
};

struct RetryGeneration {
  std::int64_t round = 0;          // The round that made it; 0 for the empty first one.
  std::optional<Digest> previous;  // The digest of the generation before; nothing for the first.
  RetryOptions options;            // Under which it was made.
  RetryChanges changes;            // Of the round.
  // The queue: the first one is the oldest, and is drawn first and evicted first.
  std::vector<RetryEntry> entries;
  std::vector<ParkedTask> parked;  // By key.

  // kCorrupt when something holds that no round makes: a task twice, more entries than the
  // capacity, an attack, or an entry out of order, past its time to live or with too many attempts.
  Status Check() const;
};

}  // namespace kernelmill
