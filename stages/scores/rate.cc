#include "stages/scores/rate.h"

#include <algorithm>
#include <cmath>

namespace kernelmill {
namespace {

// The quantile of the normal distribution for kConfidence on both sides.
constexpr double kQuantile = 1.959963984540054;

}  // namespace

Json Rate::ToJson() const {
  return Json::Object{{"value", value}, {"low", low}, {"high", high}, {"tasks", tasks}};
}

Rate RateOf(const std::vector<double>& values, std::int64_t samples) {
  const auto tasks = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = std::clamp(sum / tasks, 0.0, 1.0);
  double variance = 0.0;
  for (const double value : values) variance += (value - mean) * (value - mean);
  variance /= tasks;
  const double binary = mean * (1.0 - mean);
  const double most = static_cast<double>(samples);
  double effective = binary == 0.0 ? tasks : most;
  if (variance > 0.0) effective = std::clamp(tasks * binary / variance, tasks, most);
  const double z2 = kQuantile * kQuantile / effective;
  const double centre = (mean + z2 / 2.0) / (1.0 + z2);
  const double half =
      kQuantile * std::sqrt(binary / effective + z2 / (4.0 * effective)) / (1.0 + z2);
  // Rounding must not put the mean outside.
  return {.value = mean,
          .low = std::clamp(centre - half, 0.0, mean),
          .high = std::clamp(centre + half, mean, 1.0),
          .tasks = static_cast<std::int64_t>(values.size())};
}

}  // namespace kernelmill
