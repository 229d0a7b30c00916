#include "stages/retry/retry_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

namespace kernelmill {
namespace {

// With no share at all, an entry that failed at the first gate would never come back (ours).
constexpr double kLeastCloseness = 0.05;
// Weights become integers before they are added: pow() may differ in its last bit between machines,
// and draws must not.
constexpr double kWeightUnit = 1 << 20;

std::uint64_t SlotHash(std::string_view purpose, std::int64_t seed, std::int64_t round,
                       std::int64_t slot) {
  return Sha256()
      .Field(purpose)
      .Field(std::to_string(seed))
      .Field(std::to_string(round))
      .Field(std::to_string(slot))
      .Finish()
      .Prefix64();
}

// From 0 to below 1.
double Fraction(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

// Chooses entries, each once.
class EntryChoice {
 public:
  EntryChoice(const RetryGeneration& generation, const RetryOptions& options, std::int64_t seed)
      : round_(generation.round + 1), seed_(seed), weights_(generation.entries.size(), 1) {
    if (options.choice == RetryChoice::kFifo) return;
    weighted_ = true;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double weight = RetryWeight(generation.entries[i], round_, options);
      weights_[i] = 1 + static_cast<std::uint64_t>(std::llround(weight * kWeightUnit));
    }
    total_ = std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{0});
  }

  bool empty() const { return drawn_ == weights_.size(); }

  std::size_t Next(std::int64_t slot) {
    if (!weighted_) return drawn_++;
    std::uint64_t at = SlotHash("retry entry", seed_, round_, slot) % total_;
    std::size_t entry = 0;
    while (at >= weights_[entry]) at -= weights_[entry++];
    total_ -= weights_[entry];
    weights_[entry] = 0;
    ++drawn_;
    return entry;
  }

 private:
  std::int64_t round_;
  std::int64_t seed_;
  bool weighted_ = false;
  std::size_t drawn_ = 0;
  std::vector<std::uint64_t> weights_;  // 0: it was drawn.
  std::uint64_t total_ = 0;
};

}  // namespace

double RetryProbability(std::size_t entries, const RetryOptions& options) {
  return options.max_probability *
         std::min(1.0, static_cast<double>(entries) / static_cast<double>(options.full_at));
}

double RetryWeight(const RetryEntry& entry, std::int64_t round, const RetryOptions& options) {
  const double closeness = RetryProgress::Of(entry.verdict).Closeness();
  const double age = static_cast<double>(round - entry.round);
  return std::pow(closeness + kLeastCloseness, options.beta) * std::exp2(-age / options.half_life);
}

std::vector<RetryDraw> DrawRetries(const RetryGeneration& generation, const RetryOptions& options,
                                   std::int64_t seed, std::int64_t slots) {
  const double probability = RetryProbability(generation.entries.size(), options);
  const std::int64_t round = generation.round + 1;
  EntryChoice choice(generation, options, seed);
  std::vector<RetryDraw> draws;
  for (std::int64_t slot = 0; slot < slots && !choice.empty(); ++slot) {
    if (Fraction(SlotHash("retry coin", seed, round, slot)) >= probability) continue;
    draws.push_back({slot, choice.Next(slot)});
  }
  return draws;
}

}  // namespace kernelmill
