// Counters for statistics of a dataset: Distribution counts how often each integer value occurred,
// Counts how often each name did.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernelmill {

// How often each value occurred.
class Distribution {
 public:
  void Add(std::int64_t value) { ++counts_[value]; }

  std::int64_t count() const;
  std::int64_t sum() const;
  // The smallest value such that at least `share` (0 to 1) of all values are at or below it; 0 when
  // empty.
  std::int64_t Quantile(double share) const;
  const std::map<std::int64_t, std::int64_t>& counts() const { return counts_; }

 private:
  std::map<std::int64_t, std::int64_t> counts_;
};

using Counts = std::map<std::string, std::int64_t>;

// 0 for a name that did not occur.
std::int64_t CountOf(const Counts& counts, const std::string& name);

// Names by descending count; equal counts in byte order of the names.
std::vector<std::pair<std::string, std::int64_t>> Ranked(const Counts& counts);

}  // namespace kernelmill
