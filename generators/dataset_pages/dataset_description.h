// The facts that the card (dataset_card.h) and the report (html_report.h) of a dataset show, and
// the texts that both use to explain them. Filled by stages/pack/describe.h while a dataset is
// published.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/statistics/dataset_statistics.h"
#include "generators/dataset_pages/mixture_report.h"
#include "manifests/digest.h"
#include "manifests/json.h"
#include "manifests/partition_manifest.h"

namespace kernelmill {

// What became of the samples of models that a dataset was made from.
struct SampleFacts {
  std::vector<std::string> files;  // Their names.
  std::int64_t samples = 0;        // That were judged and can be scored.
  std::int64_t repairs = 0;        // Answers to repair prompts, which have no score.
  std::int64_t tasks = 0;          // That they answer.
  std::int64_t protected_tasks = 0;
  Json selection;  // SampleSelection::ToJson().
  Json scores;     // Scores::ToJson().
  Json rewards;    // RoundRewards::summary (stages/reward/round_rewards.h).
  Json retry;      // RetryFolder::Summary() (stages/retry/retry_folder.h).
};

struct DatasetDescription {
  struct Step {
    std::string name;
    std::string takes;  // The plural noun for its inputs: "source files".
    StepCounts counts;
  };

  Digest merkle_root;
  std::vector<Step> steps;  // In the order of execution.
  std::map<std::string, std::string> versions;
  // The dataset's files that are written so far; relative paths, sorted.
  std::vector<std::string> files;
  DatasetStatistics statistics;
  MixtureReport mixture;
  // Of a dataset of models' samples; absent otherwise.
  std::optional<SampleFacts> samples;
  bool contaminated = false;  // DatasetManifest::contaminated.

  bool Ran(std::string_view step) const;
};

// The inputs that one step dropped or rejected for one reason.
struct Loss {
  std::string step;
  std::string reason;
  std::int64_t count = 0;
  bool rejected = false;  // Otherwise dropped.
};
// In the order of the steps; within a step the most frequent first.
std::vector<Loss> LossesOf(const DatasetDescription& description);

// What rows of a family teach; empty for an unknown family.
std::string_view ExplainFamily(std::string_view family);
// What records of a kind hold; empty for an unknown kind.
std::string_view ExplainKind(std::string_view kind);

// The family's share of the trained tokens by weight: "12.5 %".
std::string ShareByWeight(const DatasetStatistics& statistics, const std::string& family);

// ", estimated" if token counts are estimates, otherwise "".
std::string_view TokensNote(const DatasetDescription& description);

// The limits of the dataset (what it does not show), as sentences.
std::vector<std::string> LimitsOf(const DatasetDescription& description);

}  // namespace kernelmill
