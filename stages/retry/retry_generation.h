// The retry buffer of MusaCoder's Buffered Dynamic Retry (arXiv 2606.04847): tasks that no sample
// of a group solved come back in later rounds, as tasks to repair the answer that came closest.
//
// The buffer is a chain of generations, which do not change. Round n reads generation n - 1, draws
// its retries from it (retry_draw.h), asks, judges, and makes generation n from what came back.
// Until that is written (retry_file.h) nothing has happened: a round that is killed draws the same
// retries again. What the paper leaves open is marked as ours here and in retry_options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/retry/retry_changes.h"
#include "stages/retry/retry_entry.h"
#include "stages/retry/retry_group.h"
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

// What round `previous.round + 1` leaves. `previous_digest` is the digest of `previous`, as
// RetryFile (retry_file.h) has it. `groups` are all groups of the round, in the order
// of their slots. Pure, and for any thread: it depends on its arguments alone.
//
// In the order of the groups, by task and backend (the rules are ours):
//  - a group with a correct sample takes its entry out, and a parked task is parked no longer;
//  - a failed retry counts as an attempt. The entry goes to the end of the queue, where its time to
//    live begins again, or is parked after options.max_attempts. Were its time to go on, a busy
//    buffer would park nothing: it draws entries that are about to expire;
//  - a failed group of a task without an entry enters at the end of the queue, unless the task is
//    parked. Of a task with an entry it replaces the code if it CameCloser(); the entry keeps its
//    place, its round and its attempts;
//  - a group that does not count changes nothing.
// Then entries whose time to live is over leave, then the first ones that are over the capacity.
//
// Errors: kConfig for options out of range; kPlanChanged when a group is the retry of a task that
// `previous` does not hold, or that another group of the round retried: it belongs to another
// generation.
Result<RetryGeneration> NextRetryGeneration(RetryGeneration previous, const Digest& previous_digest,
                                            const std::vector<RetryGroup>& groups,
                                            const RetryOptions& options);

}  // namespace kernelmill
