#include "stages/scores/scores.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "stages/scores/pass_at_k.h"

namespace kernelmill {
namespace {

// The samples of one task.
struct TaskSamples {
  const TaskTraits* traits = nullptr;
  std::vector<const ScoredSample*> all;
  std::int64_t scored = 0, correct = 0;

  double Share(std::int64_t count) const {
    return static_cast<double>(count) / static_cast<double>(scored);
  }
};

// Rates of a group while its tasks are added.
struct GroupRates {
  std::vector<double> values;
  std::int64_t samples = 0;

  void Add(double value, std::int64_t of_samples) {
    values.push_back(value);
    samples += of_samples;
  }
  std::optional<Rate> Finish() const {
    if (values.empty()) return std::nullopt;
    return RateOf(values, samples);
  }
};

bool IsTimed(const ScoredSample& sample) { return sample.runtime && sample.baseline; }

// Whether fast_p of the task is known. A sample that is not correct is not fast, whatever its time.
bool HasSpeeds(const TaskSamples& task) {
  return std::all_of(task.all.begin(), task.all.end(), [](const ScoredSample* sample) {
    return !sample->counts || !sample->correct || IsTimed(*sample);
  });
}

std::int64_t FasterThan(const TaskSamples& task, double threshold) {
  return std::count_if(task.all.begin(), task.all.end(), [&](const ScoredSample* sample) {
    return sample->counts && sample->correct && sample->legal.value_or(true) && IsTimed(*sample) &&
           *sample->baseline / *sample->runtime > threshold;
  });
}

template <typename Key>
void Put(std::map<Key, Rate>* rates, Key key, const GroupRates& rate) {
  if (const std::optional<Rate> finished = rate.Finish()) rates->emplace(key, *finished);
}

void AddSpeeds(const std::vector<const TaskSamples*>& tasks, ScoreGroup* group) {
  double logarithms = 0.0;
  std::int64_t timed = 0, correct = 0;
  bool has_baseline = false;
  for (const TaskSamples* task : tasks) {
    correct += task->correct;
    for (const ScoredSample* sample : task->all) {
      has_baseline |= sample->baseline.has_value();
      if (!sample->counts || !sample->correct || !IsTimed(*sample)) continue;
      logarithms += std::log(*sample->baseline / *sample->runtime);
      ++timed;
    }
  }
  if (timed > 0) group->mean_speedup = std::exp(logarithms / static_cast<double>(timed));
  // Where answers are correct and none was timed, or no time is known at all, there was no device.
  if (timed == 0 && (correct > 0 || !has_baseline)) return;
  for (const double threshold : kFastThresholds) {
    GroupRates rates;
    for (const TaskSamples* task : tasks) {
      if (task->scored == 0 || !HasSpeeds(*task)) continue;
      rates.Add(task->Share(FasterThan(*task, threshold)), task->scored);
    }
    Put(&group->fast, threshold, rates);
  }
}

ScoreGroup GroupOf(const std::vector<const TaskSamples*>& tasks,
                   const std::vector<std::int64_t>& ks) {
  ScoreGroup group;
  GroupRates correct, legal;
  for (const TaskSamples* task : tasks) {
    ++group.tasks;
    group.samples += static_cast<std::int64_t>(task->all.size());
    group.scored += task->scored;
    std::int64_t lawful = 0, known = 0;
    for (const ScoredSample* sample : task->all) {
      ++(sample->counts ? group.statuses : group.not_scored)[sample->status];
      if (!sample->counts || !sample->legal) continue;
      ++known;
      lawful += *sample->legal ? 1 : 0;
    }
    if (task->scored == 0) continue;
    ++group.scored_tasks;
    correct.Add(task->Share(task->correct), task->scored);
    if (known == task->scored) legal.Add(task->Share(lawful), task->scored);
  }
  group.correct = correct.Finish();
  group.legal = legal.Finish();
  for (const std::int64_t k : ks) {
    GroupRates pass, average;
    for (const TaskSamples* task : tasks) {
      if (task->scored < k) continue;
      pass.Add(PassAtK(task->scored, task->correct, k), task->scored);
      average.Add(task->Share(task->correct), task->scored);
    }
    Put(&group.pass_at, k, pass);
    Put(&group.avg_at, k, average);
  }
  AddSpeeds(tasks, &group);
  return group;
}

Json JsonOf(const std::optional<Rate>& rate) { return rate ? rate->ToJson() : Json(); }

std::string ThresholdName(double threshold) {
  char text[16];
  std::snprintf(text, sizeof text, "%g", threshold);
  return text;
}

}  // namespace

std::optional<Rate> ScoreGroup::Faster() const {
  const auto found = fast.find(kFasterThan);
  if (found == fast.end()) return std::nullopt;
  return found->second;
}

Json ScoreGroup::ToJson() const {
  Json::Object pass, average, speeds;
  for (const auto& [k, rate] : pass_at) pass[std::to_string(k)] = rate.ToJson();
  for (const auto& [k, rate] : avg_at) average[std::to_string(k)] = rate.ToJson();
  for (const auto& [threshold, rate] : fast) speeds[ThresholdName(threshold)] = rate.ToJson();
  return Json::Object{{"tasks", tasks},
                      {"scored_tasks", scored_tasks},
                      {"samples", samples},
                      {"scored", scored},
                      {"statuses", Json::Object(statuses.begin(), statuses.end())},
                      {"not_scored", Json::Object(not_scored.begin(), not_scored.end())},
                      {"correct", JsonOf(correct)},
                      {"legal", JsonOf(legal)},
                      {"pass_at_k", std::move(pass)},
                      {"avg_at_k", std::move(average)},
                      {"fast_p", speeds.empty() ? Json() : Json(std::move(speeds))},
                      {"faster", JsonOf(Faster())},
                      {"mean_speedup", mean_speedup ? Json(*mean_speedup) : Json()}};
}

Json Scores::ToJson() const {
  Json::Object by_level, by_family;
  for (const auto& [level, group] : levels) {
    by_level[level == 0 ? "unknown" : std::to_string(level)] = group.ToJson();
  }
  for (const auto& [family, group] : families) by_family[family] = group.ToJson();
  return Json::Object{{"confidence", kConfidence},
                      {"all", all.ToJson()},
                      {"levels", std::move(by_level)},
                      {"families", std::move(by_family)},
                      {"tasks_without_families", tasks_without_families}};
}

Scores ScoreSamples(const std::vector<ScoredSample>& samples, std::vector<std::int64_t> ks) {
  std::map<std::string, TaskSamples> tasks;
  std::int64_t most = 1;
  for (const ScoredSample& sample : samples) {
    TaskSamples& task = tasks[sample.task];
    if (task.traits == nullptr) task.traits = &sample.traits;
    task.all.push_back(&sample);
    task.scored += sample.counts ? 1 : 0;
    task.correct += sample.counts && sample.correct ? 1 : 0;
    most = std::max(most, task.scored);
  }
  if (ks.empty()) {
    for (std::int64_t k = 1; k <= most; k *= 2) ks.push_back(k);
  }
  std::vector<const TaskSamples*> all;
  std::map<std::int64_t, std::vector<const TaskSamples*>> by_level;
  std::map<std::string, std::vector<const TaskSamples*>> by_family;
  Scores scores;
  for (const auto& [name, task] : tasks) {
    all.push_back(&task);
    by_level[task.traits->level].push_back(&task);
    for (const std::string& family : task.traits->families) by_family[family].push_back(&task);
    scores.tasks_without_families += task.traits->families.empty() ? 1 : 0;
  }
  scores.all = GroupOf(all, ks);
  for (const auto& [level, group] : by_level) scores.levels[level] = GroupOf(group, ks);
  for (const auto& [family, group] : by_family) scores.families[family] = GroupOf(group, ks);
  return scores;
}

}  // namespace kernelmill
