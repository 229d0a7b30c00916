#include "stages/drift/drift_report.h"

#include <algorithm>

namespace kernelmill {
namespace {

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json PartJson(const DriftReport::Part& part) {
  return Json::Object{{"responses", part.responses},
                      {"rewarded", part.rewarded},
                      {"correct", part.correct},
                      {"correct_share", OrNull(part.CorrectShare())}};
}

DriftReport::Part& PartOf(MaskState state, DriftReport* report) {
  switch (state) {
    case MaskState::kKept:
      return report->kept;
    case MaskState::kMasked:
      return report->masked;
    case MaskState::kUnscored:
      break;
  }
  return report->unscored;
}

}  // namespace

std::optional<double> DriftReport::Part::CorrectShare() const {
  if (rewarded == 0) return std::nullopt;
  return static_cast<double>(correct) / static_cast<double>(rewarded);
}

DriftReport ReportDrift(const std::vector<MaskedResponse>& responses, double delta) {
  DriftReport report;
  report.delta = delta;
  std::vector<double> drifts;
  for (const MaskedResponse& response : responses) {
    DriftReport::Part& part = PartOf(response.mask.state, &report);
    ++part.responses;
    part.rewarded += response.reward ? 1 : 0;
    part.correct += response.reward && response.correct ? 1 : 0;
    if (!response.mask.reason.empty()) ++report.reasons[response.mask.reason];
    if (response.mask.drift.d) drifts.push_back(*response.mask.drift.d);
  }
  if (drifts.empty()) return report;
  report.median_d = MedianDrift(drifts);
  report.largest_d = *std::max_element(drifts.begin(), drifts.end());
  return report;
}

Json DriftReport::ToJson() const {
  return Json::Object{{"delta", delta},
                      {"kept", PartJson(kept)},
                      {"masked", PartJson(masked)},
                      {"unscored", PartJson(unscored)},
                      {"reasons", Json::Object(reasons.begin(), reasons.end())},
                      {"median_d", OrNull(median_d)},
                      {"largest_d", OrNull(largest_d)}};
}

}  // namespace kernelmill
