// Runs the recipe "sft": builds and publishes an SFT dataset from a configuration, and gives the
// audit the parts of a build that it repeats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/shards/shard.h"
#include "manifests/config.h"
#include "manifests/dataset_manifest.h"
#include "stages/engine/run.h"
#include "stages/engine/step_context.h"
#include "stages/mix/mixture.h"
#include "stages/recipes/run_summary.h"

namespace kernelmill {

// Every key that a configuration of this recipe may set.
std::vector<ConfigKey> SftKeys();

// The file of a dataset that holds the configuration that it was made from, with sources by origin
// and commit. It is a valid configuration on every machine that can fetch the origins.
inline constexpr std::string_view kConfigurationName = "configuration.json";
// The file of a dataset that holds the factors whose products are the weights of its rows
// (Mixture::ToJson()).
inline constexpr std::string_view kMixtureName = "mixture.json";

struct SftOptions {
  std::string output;    // The folder of the dataset.
  std::string cache;     // The folder of fetched repositories.
  int jobs = 0;          // Threads; 0 means one per processor.
  bool restart = false;  // Discard an unfinished run in the folder.
  bool shuffle = false;  // Process inputs in random order; the result is the same.
  std::uint64_t shuffle_seed = 0;
};

struct BuiltDataset {
  DatasetManifest manifest;
  RunSummary summary;
};

// Builds the dataset in `options.output`, or resumes an unfinished build. A complete dataset that
// was made from the same configuration is left as it is and summarised. kExists if it was made from
// another configuration, kBusy while another process works in the folder.
Result<BuiltDataset> BuildSftDataset(const Config& config, const SftOptions& options);

// The following functions are the parts of a build that an audit repeats.

// Runs all steps up to the rows. With `wanted`, only records of these origins continue after
// mining, and no limit applies.
Status RunStepsUpToRows(Run& run, const Config& config, const ResolvedSources& sources,
                        const OriginFilter& wanted = nullptr);
// The mixture of the rows that RunStepsUpToRows() produced. It must have run without `wanted`.
Result<Mixture> MixtureOf(const Run& run, const Config& config);
// Visits the encoded records that RunStepsUpToRows() produced, in the order of their content_ids.
// Equal records are merged, and rows have their weights.
Status ForEachRecord(const Run& run, const Mixture& mixture, const ShardReader::Visit& visit);

}  // namespace kernelmill
