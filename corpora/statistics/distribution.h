// Counting: how often each value, and each name, came up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernelmill {

// How often each value came up.
class Distribution {
 public:
  void Add(std::int64_t value) { ++counts_[value]; }

  std::int64_t count() const;
  std::int64_t sum() const;
  // The least value with at least `share` (0 to 1) of all values at or below it; 0 when empty.
  std::int64_t Quantile(double share) const;
  const std::map<std::int64_t, std::int64_t>& counts() const { return counts_; }

 private:
  std::map<std::int64_t, std::int64_t> counts_;
};

using Counts = std::map<std::string, std::int64_t>;

// 0 for a name that never came up.
std::int64_t CountOf(const Counts& counts, const std::string& name);

// The names with the largest counts first, names in byte order where counts are equal.
std::vector<std::pair<std::string, std::int64_t>> Ranked(const Counts& counts);

}  // namespace kernelmill
