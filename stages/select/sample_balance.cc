#include "stages/select/sample_balance.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kernelmill {
namespace {

// The samples with equal axes, the next one last.
using Cells = std::map<SampleAxes, std::vector<const BalancedSample*>>;
using Counts = std::array<std::map<std::string, std::int64_t>, kBalanceAxes.size()>;

std::int64_t Taken(const Counts& counts, const SampleAxes& axes) {
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto found = counts[i].find(axes[i]);
    if (found != counts[i].end()) taken += found->second;
  }
  return taken;
}

bool Fits(const BalancedSample& sample, std::size_t samples, std::int64_t tokens,
          const SelectionOptions& options) {
  return (options.max_samples <= 0 || static_cast<std::int64_t>(samples) < options.max_samples) &&
         (options.token_budget <= 0 || tokens + sample.tokens <= options.token_budget);
}

}  // namespace

SampleAxes AxesOf(const JudgedSample& sample, double pass_rate) {
  static constexpr std::array<std::string_view, 4> kRates = {"0-0.25", "0.25-0.5", "0.5-0.75",
                                                             "0.75-1"};
  const auto rate = std::min<std::size_t>(static_cast<std::size_t>(pass_rate * kRates.size()),
                                          kRates.size() - 1);
  constexpr std::int64_t kShort = 256;
  std::int64_t bound = kShort;
  while (bound <= sample.tokens) bound *= 2;
  const std::int64_t least = bound == kShort ? 0 : bound / 2;
  return {std::string(kRates[rate]), sample.level == 0 ? "unknown" : std::to_string(sample.level),
          sample.family.empty() ? "unknown" : sample.family,
          std::to_string(least) + '-' + std::to_string(bound - 1)};
}

std::set<std::size_t> BalancedChoice(std::vector<BalancedSample> samples,
                                     const SelectionOptions& options) {
  std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) {
    return std::tie(b.rank, b.id, b.sample) < std::tie(a.rank, a.id, a.sample);
  });
  Cells cells;
  for (const BalancedSample& sample : samples) cells[sample.axes].push_back(&sample);
  Counts counts;
  std::set<std::size_t> kept;
  std::int64_t tokens = 0;
  // One that is larger than the whole budget never fits: it must not end the choice of others.
  for (auto& [axes, cell] : cells) {
    std::erase_if(cell,
                  [&](const BalancedSample* sample) { return !Fits(*sample, 0, 0, options); });
  }
  std::erase_if(cells, [](const auto& cell) { return cell.second.empty(); });
  while (!cells.empty()) {
    const auto next =
        std::min_element(cells.begin(), cells.end(), [&](const auto& a, const auto& b) {
          return Taken(counts, a.first) < Taken(counts, b.first);
        });
    const BalancedSample& sample = *next->second.back();
    if (!Fits(sample, kept.size(), tokens, options)) break;
    kept.insert(sample.sample);
    tokens += sample.tokens;
    for (std::size_t i = 0; i < sample.axes.size(); ++i) ++counts[i][sample.axes[i]];
    next->second.pop_back();
    if (next->second.empty()) cells.erase(next);
  }
  return kept;
}

}  // namespace kernelmill
