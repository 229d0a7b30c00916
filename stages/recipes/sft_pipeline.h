// The recipe "sft": from a configuration to a published SFT dataset.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/shards/shard.h"
#include "manifests/config.h"
#include "manifests/dataset_manifest.h"
#include "stages/engine/run.h"
#include "stages/mix/mixture.h"
#include "stages/recipes/run_summary.h"
#include "stages/sources/step_context.h"

namespace kernelmill {

// Every key that a configuration of this recipe may set.
std::vector<ConfigKey> SftKeys();

// In a dataset: the configuration that it was made from, with its sources by origin and commit. It
// is a valid configuration where the origins can be fetched.
inline constexpr std::string_view kConfigurationName = "configuration.json";
// In a dataset: the factors that the weights of its rows are products of (Mixture::ToJson()).
inline constexpr std::string_view kMixtureName = "mixture.json";

struct SftOptions {
  std::string output;    // The folder of the dataset.
  std::string cache;     // The folder of fetched repositories.
  int jobs = 0;          // Threads; 0: one a processor.
  bool restart = false;  // Forget an unfinished run in the folder.
  bool shuffle = false;  // Process in a random order; the result is the same.
  std::uint64_t shuffle_seed = 0;
};

struct BuiltDataset {
  DatasetManifest manifest;
  RunSummary summary;
};

// Builds, or goes on building, the dataset in `options.output`. A dataset that is complete there
// and was made from the same configuration is left as it is and described. kExists where it was
// made from another one, kBusy while another process works in the folder.
Result<BuiltDataset> BuildSftDataset(const Config& config, const SftOptions& options);

// The parts that an audit repeats.

// Runs all steps up to the rows. With `wanted`, only what is of such origins goes on past mining,
// and no cap or limit holds.
Status DeriveRecords(Run& run, const Config& config, const ResolvedSources& sources,
                     const OriginFilter& wanted = nullptr);
// The mixture of the rows that DeriveRecords, without `wanted`, has left.
Result<Mixture> MixtureOf(const Run& run, const Config& config);
// Visits what DeriveRecords has left: encoded records in the order of their content_ids, equal ones
// merged, rows with their weights.
Status ForEachRecord(const Run& run, const Mixture& mixture, const ShardReader::Visit& visit);

}  // namespace kernelmill
