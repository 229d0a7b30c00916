#include <cstdio>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/number_format.h"

namespace kernelmill {

std::int64_t PlannedFlops(const Candidate& answer) {
  std::int64_t flops = 0;
  for (const DesignedKernel& kernel : answer.kernels) flops += kernel.flops;
  return flops;
}

std::int64_t PlannedBytes(const Candidate& answer) {
  std::int64_t bytes = 0;
  for (const DesignedKernel& kernel : answer.kernels) bytes += kernel.bytes;
  return bytes;
}

std::string IntensityText(std::int64_t flops, std::int64_t bytes) {
  if (bytes <= 0) return "";
  const double intensity = static_cast<double>(flops) / static_cast<double>(bytes);
  char text[40];
  std::snprintf(text, sizeof text, intensity < 10 ? "%.2f" : "%.0f", intensity);
  return text;
}

std::string CountText(std::int64_t number) {
  constexpr std::int64_t kGroupedFrom = 10'000;
  return number < kGroupedFrom ? std::to_string(number) : Grouped(number);
}

std::string CodeList(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    if (quoted.size() == most) break;
    quoted.push_back("`" + name + "`");
  }
  const bool all = quoted.size() == names.size();
  std::string text = Listed(quoted);
  if (all) return text;
  text.clear();
  for (const std::string& name : quoted) text += (text.empty() ? "" : ", ") + name;
  return text + ", …";
}

}  // namespace kernelmill
