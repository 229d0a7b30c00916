// The settings of the retry buffer (retry_generation.h). MusaCoder describes the buffer in words
// (arXiv 2606.04847, Buffered Dynamic Retry) and gives none of these numbers: all defaults are
// ours.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// How a slot that is a retry chooses its entry.
enum class RetryChoice {
  kFifo,      // The first entry of the queue that no earlier slot of the round has.
  kWeighted,  // At random, P ∝ RetryWeight() (retry_draw.h): close and young ones more often.
};

// The choice called "fifo" or "weighted"; kConfig for another name.
Result<RetryChoice> RetryChoiceNamed(const std::string& name);

struct RetryOptions {
  // Ours: the largest number of entries; the first of the queue leave when there are more.
  std::int64_t capacity = 1024;
  // Ours, in rounds: an entry that enters in round r can be drawn up to round r + time_to_live.
  std::int64_t time_to_live = 20;
  // Ours: a task whose retries failed this often is parked: it is reported as suspect, and does not
  // come back.
  std::int64_t max_attempts = 2;
  // Ours: a slot is a retry with probability max_probability · min(1, entries / full_at), so that a
  // nearly empty buffer does not repeat its few tasks all the time.
  double max_probability = 0.1;
  std::int64_t full_at = 64;
  // Ours: a group of fewer scored samples says too little about its task.
  std::int64_t min_scored = 4;

  RetryChoice choice = RetryChoice::kFifo;
  // Ours, of kWeighted: the exponent of closeness, and the age in rounds at which a weight has
  // halved.
  double beta = 1;
  double half_life = 10;

  // kConfig with the name of the setting and its range for a value outside of it.
  Status Check() const;
  Json ToJson() const;
  static Result<RetryOptions> FromJson(const Json& json);
  friend bool operator==(const RetryOptions&, const RetryOptions&) = default;
};

}  // namespace kernelmill
