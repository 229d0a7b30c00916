// Which responses are left out of the policy loss because the policy has drifted: equation 21 of
// MusaCoder (MirrorPop, arXiv 2606.04847). It is for training on rewards; rows of SFT and RFT are
// never masked.
//
// A masked response is not deleted: its reward stays in the statistics of its group
// (reward_group.h), or the advantages of the others would change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/drift/token_drift.h"

namespace kernelmill {

// Ours: the paper does not give δ. In nats a token.
inline constexpr double kDefaultDelta = 0.1;

enum class MaskState {
  kKept,      // d ≤ δ.
  kMasked,    // d > δ, or d cannot be computed.
  kUnscored,  // There are no log-probs. That is not the same as d = 0.
};

std::string_view MaskStateName(MaskState state);

// Why a response with d > δ is masked.
inline constexpr std::string_view kDrifted = "drift";

struct DriftMask {
  MaskState state = MaskState::kUnscored;
  std::string reason;  // kDrifted or TokenDrift::problem; "" for a response that is kept.
  TokenDrift drift;

  // The weight of the response in the policy loss: 0 for masked ones. Whether unscored ones are
  // trained is for the caller to say.
  // {"state", "reason", "d", "signed_mean"}; the numbers are null where there is no d.
  Json ToJson() const;
};

// The mask of a response under the threshold `delta`, in nats a token. Pure.
DriftMask MaskOf(TokenDrift drift, double delta);

// The median of `drifts`, of which there is at least one; of an even number, the mean of the two in
// the middle.
double MedianDrift(std::vector<double> drifts);

// δ for a policy of which `fresh` are the d of responses that it has just sampled itself:
// max(0.05, 3 · median). Both numbers are ours. kConfig when there are none, or one is negative or
// not finite.
Result<double> CalibratedDelta(std::vector<double> fresh);

}  // namespace kernelmill
