// What became of one task in a round: an entry of the retry buffer, or a task that no sample of the
// round solved. Each is in exactly one of three states. A line of retry/items.jsonl in an RFT
// dataset (retry_folder.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stages/retry/retry_generation.h"
#include "stages/retry/retry_group.h"

namespace kernelmill {

enum class RetryFate {
  kKept,       // "kept": it is in the buffer.
  kGraduated,  // "graduated": a sample is correct.
  kDropped,    // "dropped": it is in the buffer no longer, or never came there.
};
std::string_view RetryFateName(RetryFate fate);

// Why an item is kept: it is new, its retry failed, or nothing was said about it.
inline constexpr std::string_view kRetryEntered = "entered", kRetryReturned = "returned",
                                  kRetryWaits = "waits";
// Why it is graduated or dropped: names from manifests/reason.h, as are those in retry_group.h.
inline constexpr std::string_view kRetrySolved = "solved", kRetryExpired = "expired",
                                  kRetryEvicted = "evicted";

struct RetryItem {
  RetryKey key;
  RetryFate fate = RetryFate::kKept;
  std::string reason;

  Json ToJson() const;
  static Result<RetryItem> FromJson(const Json& json);
  friend bool operator==(const RetryItem&, const RetryItem&) = default;
};

// The items of the round that made `next` (retry_round.h) of `previous` and `groups`, by key:
// every entry of both, every task that a group failed, and parked tasks that were solved.
// `left_out` are failed tasks that must not come into the buffer, with the reason. kInternal when
// an item cannot be explained, or when the items do not add up to `next.changes`.
Result<std::vector<RetryItem>> RetryItemsOf(const RetryGeneration& previous,
                                            const std::vector<RetryGroup>& groups,
                                            const std::map<RetryKey, std::string>& left_out,
                                            const RetryGeneration& next);

// How many items there are by fate and reason: {"kept": {"entered": 3}, "graduated": {…}, …}.
Json CountsOf(const std::vector<RetryItem>& items);

}  // namespace kernelmill
