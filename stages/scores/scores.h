// Scores of judged samples: how often a model's answers are correct, legal and fast, for all tasks,
// for the tasks of each level, and for the tasks with an operator of each family. The command
// `score` prints them, and an RFT dataset holds them as scores.json.
//
// Samples whose status says nothing about the answer (IsAboutCandidate()) are in no rate: they are
// counted apart. Neither do they count as one of the k samples of Pass@k.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "stages/scores/rate.h"

namespace kernelmill {

// What is asked of a task, as far as it is known.
struct TaskTraits {
  std::int64_t level = 0;             // As KernelBench and `generate` count them; 0: unknown.
  std::vector<std::string> families;  // Of its operators: OperatorFamilyName(), each once.
};

struct ScoredSample {
  std::string task;  // Samples with the same name answer the same task.
  TaskTraits traits;
  // A status of a verdict (corpora/records/verdict.h), or what else the source calls the outcome.
  std::string status;
  bool counts = true;  // Whether the status says something about the answer.
  bool correct = false;
  std::optional<bool> legal;  // std::nullopt: the source does not say.
  // Milliseconds on a device, of the answer and of the baseline; std::nullopt: not measured.
  std::optional<double> runtime, baseline;
};

// The scores of one group of tasks. A rate is std::nullopt (null, "n/a") where nothing was
// measured.
struct ScoreGroup {
  std::int64_t tasks = 0;         // With at least one sample.
  std::int64_t scored_tasks = 0;  // With at least one sample that counts.
  std::int64_t samples = 0;
  std::int64_t scored = 0;  // Samples that count.
  // Samples by status, of those that count and of the others.
  std::map<std::string, std::int64_t> statuses, not_scored;
  std::optional<Rate> correct;  // The share of a task's samples that are correct.
  std::optional<Rate> legal;    // That are an answer and do not break the rules.
  // By k, over the tasks with at least k samples that count: Pass@k, and Avg@k, the expected share
  // of k samples that are correct. Both are over the same tasks.
  std::map<std::int64_t, Rate> pass_at, avg_at;
  // By p: the share of a task's samples that are correct, not known to be illegal, and more than p
  // times as fast as the baseline. Tasks with a correct sample that was not timed, or has no
  // baseline, are left out. Empty when no time is known.
  std::map<double, Rate> fast;
  // The geometric mean of the speed-up over the timed correct samples.
  std::optional<double> mean_speedup;

  // fast_p for p = kFasterThan, MusaCoder's "Faster".
  std::optional<Rate> Faster() const;
  Json ToJson() const;
};

// An answer counts as faster when it is more than this many times as fast as the baseline
// (MusaCoder, arXiv 2606.04847).
inline constexpr double kFasterThan = 1.1;
// The thresholds of fast_p: those of KernelBench's analysis, and kFasterThan.
inline constexpr double kFastThresholds[] = {0.0, 0.5, 0.8, 1.0, kFasterThan, 1.5, 2.0};

struct Scores {
  ScoreGroup all;
  std::map<std::int64_t, ScoreGroup> levels;   // 0: tasks whose level is unknown.
  std::map<std::string, ScoreGroup> families;  // A task is in the group of each of its families.
  std::int64_t tasks_without_families = 0;

  // {"confidence", "all", "levels", "families", "tasks_without_families"}.
  Json ToJson() const;
};

// Scores the samples. `ks` are the values of k; if it is empty, 1 and the powers of 2 up to the
// largest number of samples of a task.
Scores ScoreSamples(const std::vector<ScoredSample>& samples, std::vector<std::int64_t> ks = {});

}  // namespace kernelmill
