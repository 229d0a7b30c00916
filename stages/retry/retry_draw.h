// Which slots of a round are retries, and of which entries. A slot is the place of one prompt among
// the prompts of a round; it counts from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/retry/retry_generation.h"

namespace kernelmill {

struct RetryDraw {
  std::int64_t slot = 0;
  std::size_t entry = 0;  // An index into RetryGeneration::entries.

  friend bool operator==(const RetryDraw&, const RetryDraw&) = default;
};

// The probability that a slot is a retry: max_probability · min(1, entries / full_at).
double RetryProbability(std::size_t entries, const RetryOptions& options);

// How often a weighted choice takes the entry in `round`, relative to the others:
// (u + 0.05)^β · 2^(−age / half_life), with u = RetryProgress::Closeness() and the age in rounds.
double RetryWeight(const RetryEntry& entry, std::int64_t round, const RetryOptions& options);

// The retries among the first `slots` slots of round `generation.round + 1`, by slot. Each slot has
// a coin of its own, a hash of the seed, the round and the slot: whether it is a retry does not
// depend on other slots or on who asks. No entry is drawn twice; when all are drawn, later slots
// ask for tasks of their own. Pure, and for any thread.
std::vector<RetryDraw> DrawRetries(const RetryGeneration& generation, const RetryOptions& options,
                                   std::int64_t seed, std::int64_t slots);

}  // namespace kernelmill
