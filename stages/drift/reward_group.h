// The rewards of the responses to one prompt, which advantages are computed from. Masked responses
// count as all others do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/drift/drift_mask.h"

namespace kernelmill {

// A response with its reward and its mask.
struct MaskedResponse {
  std::optional<double> reward;  // Nothing if the verdict says nothing about it.
  bool correct = false;
  DriftMask mask;
};

struct RewardGroup {
  std::int64_t responses = 0;
  std::int64_t rewarded = 0;  // With a reward, masked or not: all statistics are over these.
  std::int64_t masked = 0;    // Of `rewarded`.
  std::optional<double> mean;
  std::optional<double> deviation;  // The standard deviation, with `rewarded` in the denominator.
};

// The statistics of all responses to one prompt. Pure.
RewardGroup RewardGroupOf(const std::vector<MaskedResponse>& responses);

}  // namespace kernelmill
