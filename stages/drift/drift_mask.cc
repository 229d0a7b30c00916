#include "stages/drift/drift_mask.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernelmill {
namespace {

// Ours. Kernels of training and of sampling differ by rounding alone, so that d is never 0.
constexpr double kLeastDelta = 0.05;
constexpr double kMediansInDelta = 3;

}  // namespace

std::string_view MaskStateName(MaskState state) {
  static constexpr std::string_view kNames[] = {"kept", "masked", "unscored"};
  return kNames[static_cast<std::size_t>(state)];
}

Json DriftMask::ToJson() const {
  return Json::Object{{"state", MaskStateName(state)},
                      {"reason", reason},
                      {"d", drift.d ? Json(*drift.d) : Json()},
                      {"signed_mean", drift.d ? Json(drift.signed_mean) : Json()}};
}

DriftMask MaskOf(TokenDrift drift, double delta) {
  DriftMask mask;
  if (drift.d && *drift.d <= delta) {
    mask.state = MaskState::kKept;
  } else {
    mask.state = drift.IsAbsent() ? MaskState::kUnscored : MaskState::kMasked;
    mask.reason = drift.d ? std::string(kDrifted) : drift.problem;
  }
  mask.drift = std::move(drift);
  return mask;
}

double MedianDrift(std::vector<double> drifts) {
  std::sort(drifts.begin(), drifts.end());
  const std::size_t middle = drifts.size() / 2;
  return drifts.size() % 2 == 1 ? drifts[middle] : (drifts[middle - 1] + drifts[middle]) / 2;
}

Result<double> CalibratedDelta(std::vector<double> fresh) {
  for (const double d : fresh) {
    if (!std::isfinite(d) || d < 0) {
      return Status(ErrorCode::kConfig,
                    "the drift of a fresh response must be finite and positive");
    }
  }
  if (fresh.empty()) {
    return Status(ErrorCode::kConfig,
                  "delta cannot be calibrated without responses of a fresh policy");
  }
  return std::max(kLeastDelta, kMediansInDelta * MedianDrift(std::move(fresh)));
}

}  // namespace kernelmill
