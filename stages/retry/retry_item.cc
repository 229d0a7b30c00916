#include "stages/retry/retry_item.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::array kFates = {RetryFate::kKept, RetryFate::kGraduated, RetryFate::kDropped};

// What the groups of one task say together.
struct Outcomes {
  bool solved = false, failed = false;
  bool returned =
      false;  // A retry has failed: if the entry was not parked, it went to the end of the queue.
  std::string_view why_none;
};

std::map<RetryKey, const RetryEntry*> ByKey(const RetryGeneration& generation) {
  std::map<RetryKey, const RetryEntry*> entries;
  for (const RetryEntry& entry : generation.entries) entries[entry.key] = &entry;
  return entries;
}

bool IsParked(const RetryGeneration& generation, const RetryKey& key) {
  const auto at =
      std::lower_bound(generation.parked.begin(), generation.parked.end(), key,
                       [](const ParkedTask& task, const RetryKey& k) { return task.key < k; });
  return at != generation.parked.end() && at->key == key;
}

// Compares the items with the counts that were made while the generation was.
Status CheckSums(const std::vector<RetryItem>& items, const RetryGeneration& previous,
                 const RetryChanges& changes) {
  const auto before = ByKey(previous);
  RetryChanges sums;
  for (const RetryItem& item : items) {
    const bool is_new = !before.contains(item.key);
    sums.after += item.fate == RetryFate::kKept;
    sums.entered += is_new && (item.reason == kRetryEntered || item.reason == kRetryEvicted);
    sums.solved += !is_new && item.fate == RetryFate::kGraduated;
    sums.expired += item.reason == kRetryExpired;
    sums.evicted += item.reason == kRetryEvicted;
    sums.parked += item.reason == kParkedBefore && !IsParked(previous, item.key);
  }
  const auto counts = [](const RetryChanges& one) {
    return std::tuple(one.after, one.entered, one.solved, one.expired, one.evicted, one.parked);
  };
  if (counts(sums) == counts(changes)) return Status::Ok();
  return Status(ErrorCode::kInternal, "retry buffer: its items do not add up to its changes: " +
                                          CountsOf(items).Dump() + " " + changes.ToJson().Dump());
}

}  // namespace

std::string_view RetryFateName(RetryFate fate) {
  switch (fate) {
    case RetryFate::kKept:
      return "kept";
    case RetryFate::kGraduated:
      return "graduated";
    case RetryFate::kDropped:
      return "dropped";
  }
  return "dropped";
}

Json RetryItem::ToJson() const {
  return Json::Object{{"task", key.task.Hex()},
                      {"backend", key.backend},
                      {"fate", RetryFateName(fate)},
                      {"reason", reason}};
}

Result<RetryItem> RetryItem::FromJson(const Json& json) {
  RetryItem item;
  std::string fate;
  JsonFields fields(json, "item");
  fields.Read("task", &item.key.task);
  fields.Read("backend", &item.key.backend);
  fields.Read("fate", &fate);
  fields.Read("reason", &item.reason);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("item", item.key.backend));
  for (const RetryFate one : kFates) {
    if (RetryFateName(one) != fate) continue;
    item.fate = one;
    return item;
  }
  return Status(ErrorCode::kCorrupt, "item: unknown fate '" + fate + "'");
}

Result<std::vector<RetryItem>> RetryItemsOf(const RetryGeneration& previous,
                                            const std::vector<RetryGroup>& groups,
                                            const std::map<RetryKey, std::string>& left_out,
                                            const RetryGeneration& next) {
  const auto before = ByKey(previous), after = ByKey(next);
  std::map<RetryKey, Outcomes> outcomes;
  for (const RetryGroup& group : groups) {
    const GroupOutcome outcome = GroupOutcomeOf(group, next.options);
    Outcomes& all = outcomes[group.key];
    all.solved |= outcome.solved;
    all.failed |= outcome.failed && outcome.closest != nullptr;
    all.returned |= outcome.failed && group.retry;
    if (!outcome.why_none.empty()) all.why_none = outcome.why_none;
  }
  std::set<RetryKey> keys;
  for (const auto& [key, entry] : before) keys.insert(key);
  for (const auto& [key, entry] : after) keys.insert(key);
  for (const auto& [key, reason] : left_out) keys.insert(key);
  for (const auto& [key, all] : outcomes) {
    if (!all.solved || IsParked(previous, key)) keys.insert(key);
  }
  std::vector<RetryItem> items;
  for (const RetryKey& key : keys) {
    const auto was = before.find(key), is = after.find(key);
    const Outcomes all = outcomes.contains(key) ? outcomes.at(key) : Outcomes();
    RetryItem& item = items.emplace_back();
    item.key = key;
    if (is != after.end()) {
      const bool returned = was != before.end() && is->second->attempts > was->second->attempts;
      item.reason = was == before.end() ? kRetryEntered : returned ? kRetryReturned : kRetryWaits;
      continue;
    }
    item.fate = all.solved ? RetryFate::kGraduated : RetryFate::kDropped;
    if (all.solved) {
      item.reason = kRetrySolved;
    } else if (IsParked(next, key)) {
      item.reason = kParkedBefore;
    } else if (was != before.end()) {
      // The time to live of an entry that went back to the queue began again.
      const bool expired =
          !all.returned && next.round - was->second->round >= next.options.time_to_live;
      item.reason = expired ? kRetryExpired : kRetryEvicted;
    } else if (const auto left = left_out.find(key); left != left_out.end()) {
      item.reason = left->second;
    } else {
      item.reason = all.failed            ? kRetryEvicted
                    : all.why_none.empty() ? kTooFewScored
                                           : all.why_none;
    }
  }
  KM_RETURN_IF_ERROR(CheckSums(items, previous, next.changes));
  return items;
}

Json CountsOf(const std::vector<RetryItem>& items) {
  Json counts = Json::Object();
  for (const RetryFate fate : kFates) {
    std::map<std::string, std::int64_t> reasons;
    for (const RetryItem& item : items) {
      if (item.fate == fate) ++reasons[item.reason];
    }
    counts[RetryFateName(fate)] = Json::Object(reasons.begin(), reasons.end());
  }
  return counts;
}

}  // namespace kernelmill
