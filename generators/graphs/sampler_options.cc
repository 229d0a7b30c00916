#include "generators/graphs/sampler_options.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace kernelmill {
namespace {

// "1e9:1e11"; an omitted bound is open.
bool ReadInterval(std::string_view text, CostTargets::Interval* interval) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto read = [](std::string_view number, double* value) {
    if (number.empty()) return true;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), *value);
    return error == std::errc() && end == number.data() + number.size();
  };
  return read(text.substr(0, colon), &interval->low) &&
         read(text.substr(colon + 1), &interval->high) && interval->low <= interval->high;
}

}  // namespace

Result<CostTargets> CostTargets::Read(const std::vector<std::string>& texts) {
  CostTargets targets;
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view name = std::string_view(text).substr(0, equals);
    Interval* interval = name == "flops"       ? &targets.flops
                         : name == "bytes"     ? &targets.bytes
                         : name == "intensity" ? &targets.intensity
                                               : nullptr;
    if (interval == nullptr || equals == text.size() ||
        !ReadInterval(std::string_view(text).substr(equals + 1), interval)) {
      return Status(ErrorCode::kUsage, "cannot read '" + text +
                                           "'; expected NAME=LOW:HIGH with flops, bytes or "
                                           "intensity as the name, such as flops=1e9:1e11 or "
                                           "intensity=10:");
    }
  }
  return targets;
}

bool CostTargets::Hold(const OperatorCost& cost) const {
  return flops.Holds(double(cost.flops)) && bytes.Holds(double(cost.bytes)) &&
         intensity.Holds(double(cost.flops) / double(std::max<std::int64_t>(1, cost.bytes)));
}

Status CheckLevels(const std::vector<int>& levels) {
  if (levels.empty()) return Status(ErrorCode::kUsage, "name at least one level");
  for (const int level : levels) {
    if (level >= 1 && level <= kLevels) continue;
    return Status(ErrorCode::kUsage, "there is no level " + std::to_string(level) +
                                         "; levels are 1 (one operator), 2 (fused patterns), 3 "
                                         "(blocks) and 4 (models)");
  }
  return Status::Ok();
}

}  // namespace kernelmill
