#include "corpora/statistics/distribution.h"

#include <algorithm>
#include <cmath>

namespace kernelmill {

std::int64_t Distribution::count() const {
  std::int64_t total = 0;
  for (const auto& [value, times] : counts_) total += times;
  return total;
}

std::int64_t Distribution::sum() const {
  std::int64_t total = 0;
  for (const auto& [value, times] : counts_) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(value, times, &product) ||
        __builtin_add_overflow(total, product, &total)) {
      return INT64_MAX;
    }
  }
  return total;
}

std::int64_t Distribution::Quantile(double share) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count())));
  std::int64_t reached = 0;
  for (const auto& [value, times] : counts_) {
    reached += times;
    if (reached >= wanted) return value;
  }
  return 0;
}

std::int64_t CountOf(const Counts& counts, const std::string& name) {
  const auto entry = counts.find(name);
  return entry == counts.end() ? 0 : entry->second;
}

std::vector<std::pair<std::string, std::int64_t>> Ranked(const Counts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> ranked(counts.begin(), counts.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return ranked;
}

}  // namespace kernelmill
