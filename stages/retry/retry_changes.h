// What one round did to the retry buffer, counted when its generation was made
// (retry_round.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// Counts of entries. Invariant: before + entered = solved + expired + evicted + parked + after.
struct RetryChanges {
  std::int64_t before = 0, after = 0;
  std::int64_t entered = 0;  // New tasks.
  std::int64_t solved = 0;   // A sample of theirs is correct.
  std::int64_t expired = 0;  // Their time to live is over.
  std::int64_t evicted = 0;  // The first of the queue, when there were more than the capacity.
  std::int64_t parked = 0;   // The last retry that they are given failed.
  // Entries that stayed, and in which way. No part of the sum.
  std::int64_t returned = 0;  // A retry failed, and the entry went to the end of the queue.
  std::int64_t replaced = 0;  // A new sample came closer, and its code took the place of the old.
  // Groups that bring no entry, by the names in retry_group.h.
  std::map<std::string, std::int64_t> passed_by;

  // kInternal when the invariant does not hold.
  Status Check() const;
  Json ToJson() const;
  static Result<RetryChanges> FromJson(const Json& json);
  friend bool operator==(const RetryChanges&, const RetryChanges&) = default;
};

}  // namespace kernelmill
