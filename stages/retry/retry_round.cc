#include "stages/retry/retry_round.h"

#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kernelmill {
namespace {

// The entries and parked tasks of a generation while the groups of a round change them.
class Round {
 public:
  Round(RetryGeneration previous, const Digest& digest, const RetryOptions& options) {
    next_.round = previous.round + 1;
    next_.previous = digest;
    next_.options = options;
    next_.changes.before = static_cast<std::int64_t>(previous.entries.size());
    for (ParkedTask& task : previous.parked) parked_.emplace(task.key, std::move(task));
    for (RetryEntry& entry : previous.entries) {
      before_.insert(entry.key);
      Append(std::move(entry));
      // Only where this round allows fewer attempts than the round before.
      if (queue_.back().attempts >= options.max_attempts) Park(places_.find(queue_.back().key));
    }
  }

  Status Take(const RetryGroup& group) {
    const auto place = places_.find(group.key);
    if (group.retry) {
      if (!retried_.insert(group.key).second) {
        return Foreign(group.key, "two groups of round ", " are retries of the task ");
      }
      if (!before_.contains(group.key)) {
        return Foreign(group.key, "a group of round ", " is a retry of a task that no entry has: ");
      }
    }
    const GroupOutcome outcome = GroupOutcomeOf(group, next_.options);
    if (outcome.solved) {
      Solve(group.key, place);
    } else if (!outcome.failed) {
      PassBy(kTooFewScored);
    } else if (place != places_.end()) {
      Fail(group, outcome, place->second);
    } else if (!left_.contains(group.key)) {
      Enter(group, outcome);
    }
    return Status::Ok();
  }

  Result<RetryGeneration> Finish() {
    RetryChanges& changes = next_.changes;
    changes.expired = static_cast<std::int64_t>(queue_.remove_if([&](const RetryEntry& entry) {
      return next_.round - entry.round >= next_.options.time_to_live;
    }));
    while (static_cast<std::int64_t>(queue_.size()) > next_.options.capacity) {
      queue_.pop_front();
      ++changes.evicted;
    }
    changes.after = static_cast<std::int64_t>(queue_.size());
    KM_RETURN_IF_ERROR(changes.Check());
    next_.entries.assign(std::move_iterator(queue_.begin()), std::move_iterator(queue_.end()));
    for (auto& [key, task] : parked_) next_.parked.push_back(std::move(task));
    return std::move(next_);
  }

 private:
  using Queue = std::list<RetryEntry>;
  using Places = std::map<RetryKey, Queue::iterator>;

  void Append(RetryEntry entry) {
    const RetryKey key = entry.key;
    places_[key] = queue_.insert(queue_.end(), std::move(entry));
  }

  Status Foreign(const RetryKey& key, const std::string& what, const std::string& of) const {
    return Status(ErrorCode::kPlanChanged, what + std::to_string(next_.round) + of + key.Name() +
                                               "; the groups belong to another generation");
  }

  void PassBy(std::string_view why) { ++next_.changes.passed_by[std::string(why)]; }

  // What left in this round does not enter again in it: a task that one group solves and another
  // does not is solved, whichever comes first.
  void Remove(Places::iterator place) {
    left_.insert(place->first);
    queue_.erase(place->second);
    places_.erase(place);
  }

  void Park(Places::iterator place) {
    ++next_.changes.parked;
    parked_[place->first] = {place->first, next_.round, place->second->Sample()};
    Remove(place);
  }

  void Solve(const RetryKey& key, Places::iterator place) {
    if (const auto parked = parked_.find(key); parked != parked_.end()) {
      if (parked->second.round == next_.round) {  // It was parked a moment ago.
        --next_.changes.parked;
        ++next_.changes.solved;
      }
      parked_.erase(parked);
    }
    left_.insert(key);
    if (place == places_.end()) return;
    if (before_.contains(key)) {
      ++next_.changes.solved;
    } else {
      --next_.changes.entered;  // It entered a moment ago.
    }
    Remove(place);
  }

  void Fail(const RetryGroup& group, const GroupOutcome& outcome, Queue::iterator entry) {
    if (outcome.closest == nullptr) {
      PassBy(outcome.why_none);
    } else if (CameCloser(outcome.closest->verdict, outcome.closest->id, entry->verdict,
                          entry->Sample())) {
      Show(*outcome.closest, &*entry);
      ++next_.changes.replaced;
    }
    if (!group.retry) return;
    if (++entry->attempts < next_.options.max_attempts) {
      ++next_.changes.returned;
      entry->round = next_.round;
      queue_.splice(queue_.end(), queue_, entry);
      return;
    }
    Park(places_.find(group.key));
  }

  void Enter(const RetryGroup& group, const GroupOutcome& outcome) {
    if (parked_.contains(group.key)) return PassBy(kParkedBefore);
    if (outcome.closest == nullptr) return PassBy(outcome.why_none);
    RetryEntry entry;
    entry.key = group.key;
    entry.round = next_.round;
    Show(*outcome.closest, &entry);
    Append(std::move(entry));
    ++next_.changes.entered;
  }

  static void Show(const RetrySample& sample, RetryEntry* entry) {
    entry->code = sample.code;
    entry->verdict = sample.verdict.Reproducible();
    entry->lineage.push_back(sample.id);
  }

  RetryGeneration next_;
  Queue queue_;
  Places places_;
  std::map<RetryKey, ParkedTask> parked_;
  std::set<RetryKey> before_, retried_, left_;
};

}  // namespace

Result<RetryGeneration> NextRetryGeneration(RetryGeneration previous, const Digest& previous_digest,
                                            const std::vector<RetryGroup>& groups,
                                            const RetryOptions& options) {
  KM_RETURN_IF_ERROR(options.Check());
  Round round(std::move(previous), previous_digest, options);
  for (const RetryGroup& group : groups) KM_RETURN_IF_ERROR(round.Take(group));
  return round.Finish();
}

}  // namespace kernelmill
