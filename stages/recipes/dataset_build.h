// What the recipes that build a dataset share: finding a dataset that is complete already, and
// publishing the records of a finished run with configuration, card and manifest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/shards/shard.h"
#include "generators/dataset_pages/dataset_description.h"
#include "manifests/config.h"
#include "manifests/dataset_manifest.h"
#include "stages/engine/run.h"
#include "stages/engine/step_context.h"
#include "stages/engine/tool_identity.h"
#include "stages/mix/mixture.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/published_files.h"
#include "stages/recipes/run_summary.h"

namespace kernelmill {

struct BuildOptions {
  std::string output;           // The folder of the dataset.
  std::string cache;            // The folder of fetched repositories.
  int fetches = kUsualFetches;  // The most repositories that are fetched at a time.
  std::string lock = {};        // A file that fixes the commits of all repositories; "" for none.
  int jobs = 0;                 // Threads; 0 means one per processor.
  bool restart = false;         // Discard an unfinished run in the folder.
  bool outcomes = true;         // Take outcomes of earlier runs from the store, and keep them.
  // A dataset of samples whose secret the judge takes, so that its verdicts hold again; empty draws
  // one.
  std::string secret_of = {};
  bool shuffle = false;  // Process inputs in random order; the result is the same.
  std::uint64_t shuffle_seed = 0;
  StepExecutor* executor = nullptr;  // As RunOptions has it.
};

SourceOptions SourceOptionsOf(const BuildOptions& options);

struct BuiltDataset {
  DatasetManifest manifest;
  RunSummary summary;
};

// The dataset in the folder if it is complete and was made from the same configuration (the text of
// kConfigurationName). Nothing if there is none yet; kExists if it was made from another one.
Result<std::optional<BuiltDataset>> FindBuilt(const std::string& output,
                                              const std::string& configuration);

// Opens the folder for a run, and discards what an earlier run left if the options say so.
Result<Run> OpenRun(const Config& config, const BuildOptions& options, const ToolIdentity& tool);

// A finished run, ready to be published.
struct FinishedRun {
  const Run& run;
  const Config& config;
  const ToolIdentity& tool;
  const ResolvedSources& sources;
  std::string configuration;  // The text of kConfigurationName.
  const Mixture& mixture;
  // Visits all records, encoded, in the order of their content_ids.
  std::function<Status(const ShardReader::Visit& visit)> for_each_record;
  // Adds what the recipe knows to the card and the report. May be null.
  std::function<Status(DatasetDescription* description)> describe;
  bool sampled = false;       // Of the recipe "rft".
  bool contaminated = false;  // DatasetManifest::contaminated.
};
// Writes everything but the files that only the recipe knows, which must be there already, and
// beside the dataset its quarantine (corpora/quarantine.h). The manifest comes last.
Result<BuiltDataset> PublishRun(const FinishedRun& finished);

}  // namespace kernelmill
