// Rounds of a model that learns: after each, a ledger of the test's own says what must have become
// of every task.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "manifests/split_mix.h"
#include "stages/retry/retry_draw.h"
#include "stages/retry/retry_file.h"
#include "stages/retry/retry_item.h"
#include "stages/retry/retry_round.h"
#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
constexpr std::int64_t kSlots = 16;

class Simulation {
 public:
  explicit Simulation(const RetryOptions& options, int tasks) : options_(options) {
    for (int task = 0; task < tasks; ++task) keys_.push_back(KeyOf("task " + std::to_string(task)));
  }

  // One round, and what must hold after it.
  void Round() {
    const std::vector<RetryDraw> draws = DrawRetries(now_, options_, 11, kSlots);
    CountDraws(draws);
    const std::vector<RetryGroup> groups = Ask(draws);
    const RetryGeneration previous = std::move(now_);
    Result<RetryGeneration> next = NextRetryGeneration(previous, digest_, groups, options_);
    ASSERT_TRUE(next.ok()) << next.status().message();
    now_ = *std::move(next);
    ASSERT_TRUE(now_.Check().ok()) << now_.Check().message();  // Each task once, within the bounds.
    ASSERT_TRUE(now_.changes.Check().ok());
    CheckLedger(groups, previous);
    CheckItems(groups, previous);
    total_.entered += now_.changes.entered;
    total_.solved += now_.changes.solved;
    total_.expired += now_.changes.expired;
    total_.evicted += now_.changes.evicted;
    total_.parked += now_.changes.parked;
    total_.after = now_.changes.after;
    if (now_.round % 500 == 0) {  // And nothing is lost in the file.
      const std::string bytes = EncodeRetryFile(now_, &digest_);
      Result<RetryFile> file = DecodeRetryFile(bytes);
      ASSERT_TRUE(file.ok()) << file.status().message();
      now_ = std::move(file->generation);
    }
  }

  // All slots together were retries as often as their coins say.
  void CheckShare(int rounds) const {
    EXPECT_NEAR(retries_, expected_, 5 * std::sqrt(variance_) + 1);
    EXPECT_GT(retries_, rounds / 100);
  }
  const RetryChanges& total() const { return total_; }
  const std::map<std::string, std::int64_t>& reasons() const { return reasons_; }

 private:
  double Number() { return static_cast<double>(NextMixedBits(&state_) >> 11) * 0x1p-53; }

  void CountDraws(const std::vector<RetryDraw>& draws) {
    std::set<std::int64_t> slots;
    std::set<std::size_t> drawn;
    for (const RetryDraw& draw : draws) {
      ASSERT_TRUE(slots.insert(draw.slot).second);
      ASSERT_TRUE(drawn.insert(draw.entry).second);
      ASSERT_LT(draw.entry, now_.entries.size());
      ASSERT_LE(now_.round + 1 - now_.entries[draw.entry].round, options_.time_to_live);
    }
    // With fewer entries than slots, a slot may find none left; that is no matter of its coin.
    if (static_cast<std::int64_t>(now_.entries.size()) < kSlots) return;
    const double p = RetryProbability(now_.entries.size(), options_);
    expected_ += p * kSlots;
    variance_ += p * (1 - p) * kSlots;
    retries_ += static_cast<double>(draws.size());
  }

  // A task is easy, hard or impossible by its hash; repair makes it easier.
  RetryGroup Sampled(const RetryKey& key, bool retry) {
    RetryGroup group{.key = key, .retry = retry};
    const double hardness = static_cast<double>(key.task.Prefix64() >> 11) * 0x1p-53;
    const double right = hardness > 0.5 ? 0.02 : retry ? 0.25 : 0.15;
    for (int i = 0; i < 5; ++i) {
      const double number = Number();
      group.samples.push_back(SampleNamed(
          std::to_string(++samples_), number < right         ? Correct()
                                      : number < right + 0.1 ? Undecided()
                                      : number < 0.5 ? Wrong(static_cast<int>(number * 1000) % 4)
                                      : number < 0.6 ? Illegal("reaches_interpreter")
                                                     : NotBuilt()));
    }
    return group;
  }

  std::vector<RetryGroup> Ask(const std::vector<RetryDraw>& draws) {
    std::map<std::int64_t, std::size_t> retries;
    for (const RetryDraw& draw : draws) retries[draw.slot] = draw.entry;
    std::vector<RetryGroup> groups;
    for (std::int64_t slot = 0; slot < kSlots; ++slot) {
      const auto retry = retries.find(slot);
      groups.push_back(retry == retries.end()
                           ? Sampled(keys_[NextMixedBits(&state_) % keys_.size()], false)
                           : Sampled(now_.entries[retry->second].key, true));
    }
    return groups;
  }

  void CheckLedger(const std::vector<RetryGroup>& groups, const RetryGeneration& previous) const {
    std::map<RetryKey, const RetryEntry*> before;
    for (const RetryEntry& entry : previous.entries) before[entry.key] = &entry;
    std::set<RetryKey> live, parked, solved, failed, retried;
    for (const RetryEntry& entry : now_.entries) live.insert(entry.key);
    for (const ParkedTask& task : now_.parked) parked.insert(task.key);
    for (const RetryGroup& group : groups) {
      const GroupOutcome outcome = GroupOutcomeOf(group, options_);
      if (outcome.solved) solved.insert(group.key);
      if (outcome.closest != nullptr) failed.insert(group.key);
      if (outcome.failed && group.retry) retried.insert(group.key);
    }
    std::int64_t evicted = 0, expired = 0;
    for (const auto& [key, entry] : before) {  // Nothing is lost.
      if (live.contains(key) || solved.contains(key)) continue;
      if (parked.contains(key)) {
        ASSERT_TRUE(retried.contains(key) && entry->attempts + 1 == options_.max_attempts);
      } else if (!retried.contains(key) && now_.round - entry->round >= options_.time_to_live) {
        ++expired;
      } else {
        ++evicted;
      }
    }
    for (const RetryKey& key : failed) {  // What failed is there, or left by a rule.
      if (live.contains(key) || solved.contains(key) || parked.contains(key)) continue;
      if (!before.contains(key)) ++evicted;
    }
    ASSERT_EQ(expired, now_.changes.expired);
    ASSERT_EQ(evicted, now_.changes.evicted);
    if (evicted > 0) {
      ASSERT_EQ(now_.changes.after, options_.capacity);
    }
    for (const ParkedTask& task : previous.parked) {
      ASSERT_TRUE(parked.contains(task.key) || solved.contains(task.key));
    }
    for (const RetryEntry& entry : now_.entries) {  // Nothing comes from nowhere, or twice.
      const auto was = before.find(entry.key);
      ASSERT_FALSE(solved.contains(entry.key) || parked.contains(entry.key));
      if (was == before.end()) {
        ASSERT_TRUE(failed.contains(entry.key) && entry.round == now_.round && entry.attempts == 0);
        continue;
      }
      ASSERT_EQ(entry.round, retried.contains(entry.key) ? now_.round : was->second->round);
      ASSERT_EQ(entry.attempts, was->second->attempts + (retried.contains(entry.key) ? 1 : 0));
      ASSERT_FALSE(
          CameCloser(was->second->verdict, was->second->Sample(), entry.verdict, entry.Sample()));
    }
  }

  // Every entry, and every task that nobody solved, is one item, in the state that the buffer
  // shows.
  void CheckItems(const std::vector<RetryGroup>& groups, const RetryGeneration& previous) {
    Result<std::vector<RetryItem>> items = RetryItemsOf(previous, groups, {}, now_);
    ASSERT_TRUE(items.ok()) << items.status().message();
    std::set<RetryKey> expected, live, solved;
    for (const RetryEntry& entry : previous.entries) expected.insert(entry.key);
    for (const RetryEntry& entry : now_.entries) live.insert(entry.key);
    for (const RetryGroup& group : groups) {
      if (GroupOutcomeOf(group, options_).solved) solved.insert(group.key);
    }
    for (const RetryGroup& group : groups) {
      if (!solved.contains(group.key)) expected.insert(group.key);
    }
    for (const ParkedTask& task : previous.parked) {
      if (solved.contains(task.key)) expected.insert(task.key);
    }
    for (const RetryItem& item : *items) {
      ASSERT_EQ(expected.erase(item.key), 1u);
      ASSERT_EQ(item.fate == RetryFate::kKept, live.contains(item.key));
      ASSERT_EQ(item.fate == RetryFate::kGraduated, solved.contains(item.key));
      ++reasons_[item.reason];
    }
    ASSERT_TRUE(expected.empty());
  }

  RetryOptions options_;
  std::vector<RetryKey> keys_;
  std::map<std::string, std::int64_t> reasons_;  // Of items.
  RetryGeneration now_;
  Digest digest_;
  RetryChanges total_;
  std::uint64_t state_ = 3;
  std::int64_t samples_ = 0;
  double retries_ = 0, expected_ = 0, variance_ = 0;
};

inline void Simulate(const RetryOptions& options, int tasks, int rounds, RetryChanges* total) {
  Simulation simulation(options, tasks);
  for (int round = 0; round < rounds && !testing::Test::HasFatalFailure(); ++round) {
    simulation.Round();
  }
  simulation.CheckShare(rounds);
  for (const std::string_view reason :
       {kRetryEntered, kRetryReturned, kRetryWaits, kRetrySolved, kParkedBefore}) {
    EXPECT_GT(simulation.reasons().at(std::string(reason)), rounds / 100) << reason;
  }
  *total = simulation.total();
  // Over all rounds: what entered has left in one way, or is still there.
  EXPECT_EQ(total->entered,
            total->solved + total->expired + total->evicted + total->parked + total->after);
}

inline void NothingIsLostOrDoubled(int rounds) {
  RetryChanges total;
  Simulate({}, 20000, rounds, &total);
  EXPECT_GT(total.entered, rounds);
  for (const std::int64_t left : {total.solved, total.parked, total.expired}) {
    EXPECT_GT(left, rounds / 100);
  }
}

inline void NorWhenTheBufferIsFullAndTheChoiceIsWeighted(int rounds) {
  RetryChanges total;
  const RetryOptions options = {
      .capacity = 24, .full_at = 8, .choice = RetryChoice::kWeighted, .beta = 2};
  Simulate(options, 3000, rounds, &total);
  EXPECT_GT(total.evicted, rounds / 10);
  EXPECT_GT(total.parked, rounds / 100);
}

}  // namespace kernelmill
