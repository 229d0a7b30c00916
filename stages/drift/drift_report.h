// What a mask has left out, for the report of a round: how many responses and for which reasons,
// and how many of them are correct. Where that share is high, the mask costs the answers that are
// worth the most.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stages/drift/reward_group.h"

namespace kernelmill {

struct DriftReport {
  // Responses in one state. The share of correct ones is over those with a reward.
  struct Part {
    std::int64_t responses = 0, rewarded = 0, correct = 0;

    // Nothing where no response has a reward.
    std::optional<double> CorrectShare() const;
  };

  double delta = kDefaultDelta;
  Part kept, masked, unscored;
  std::map<std::string, std::int64_t> reasons;  // Of masked and unscored responses.
  // Over the responses that have a d.
  std::optional<double> median_d, largest_d;

  // Shares are null where nothing was counted.
  Json ToJson() const;
};

// Counts responses of any prompts. `delta` is the threshold that they were masked under. Pure.
DriftReport ReportDrift(const std::vector<MaskedResponse>& responses, double delta);

}  // namespace kernelmill
