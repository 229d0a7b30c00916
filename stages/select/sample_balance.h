// The part of SelectSamples() (selection.h) that keeps the selected samples balanced when a budget
// binds.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stages/select/selection.h"

namespace kernelmill {

inline constexpr std::array<std::string_view, 4> kBalanceAxes = {"pass_rate", "level", "family",
                                                                 "length"};
// The value of a sample on each of kBalanceAxes, such as {"0.25-0.5", "1", "norm", "1024-2047"}.
using SampleAxes = std::array<std::string, kBalanceAxes.size()>;
SampleAxes AxesOf(const JudgedSample& sample, double pass_rate);

struct BalancedSample {
  std::size_t sample = 0;
  std::size_t rank = 0;  // Within its pool.
  Digest id;
  std::int64_t tokens = 0;
  SampleAxes axes;
};

// The samples (by BalancedSample::sample) that fit max_samples and token_budget: all of them when
// neither binds. Otherwise they are taken one by one. Each time the combination of axes is chosen
// whose values have the fewest samples so far, and of it the sample with the lowest rank. The
// choice ends with the first sample that does not fit: to go on with shorter ones would choose by
// length.
std::set<std::size_t> BalancedChoice(std::vector<BalancedSample> samples,
                                     const SelectionOptions& options);

}  // namespace kernelmill
