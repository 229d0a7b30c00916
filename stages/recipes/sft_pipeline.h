// From a configuration to a published SFT dataset: the steps, in order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/shards/shard.h"
#include "manifests/config.h"
#include "manifests/dataset_manifest.h"
#include "stages/engine/run.h"
#include "stages/fetch/source.h"
#include "stages/mix/mixture.h"
#include "stages/sample/sample_step.h"
#include "stages/supply/task_source.h"

namespace kernelmill {

// Every key that a configuration of this pipeline may set.
std::vector<ConfigKey> SftKeys();

// In a dataset: the configuration that it was made from, its sources by origin and commit. A valid
// configuration itself where the origins can be fetched.
inline constexpr std::string_view kConfigurationName = "configuration.json";
// In a dataset: the factors that its rows' weights are made of (Mixture::ToJson()).
inline constexpr std::string_view kMixtureName = "mixture.json";
// In DIR/.run: {origin: folder on this machine}, {Tokenizer::name(): file}, and {"sha256:…": file
// or folder of tasks, table of a benchmark}.
inline constexpr std::string_view kFoldersName = "folders.json";

struct SftOptions {
  std::string output;    // The folder of the dataset.
  std::string cache;     // The folder of fetched repositories.
  int jobs = 0;          // 0: one a processor.
  bool restart = false;  // Forget an unfinished run in the folder.
  bool shuffle = false;  // Process in a random order; the result is the same.
  std::uint64_t shuffle_seed = 0;
};

// Builds, or goes on building, the dataset in `options.output`. A dataset that is complete there
// and was made from the same configuration is left alone and returned.
Result<DatasetManifest> BuildSftDataset(const Config& config, const SftOptions& options);

// The parts of it that an audit repeats.

// What `sources` names.
struct ResolvedSources {
  std::vector<ResolvedSource> repositories;  // Sorted by origin and commit.
  std::vector<TaskSource> tasks;             // Sorted by origin and hash.
};

// kConfig where there is nothing to make a dataset from.
Status CheckSources(const Config& config);
// kConfig where a value is none of what its key takes: before anything is fetched, read or run.
Status CheckSettings(const Config& config);
// The repositories that `sources` names, in the order of the configuration.
std::vector<SourceSpec> SourceSpecs(const Config& config);

// Finds or fetches what `sources` names.
Result<ResolvedSources> ResolveSources(const Config& config, const std::string& cache);
// The part of it that needs no network.
Result<std::vector<TaskSource>> ResolveTaskSources(const Config& config);
// With the tokenizer's file, files of tasks and tables of benchmarks by their hashes.
Result<std::string> ConfigurationText(const Config& config, const ResolvedSources& sources);
// All steps up to the text; with `wanted`, only what is of such origins goes on past mining, and no
// cap or limit holds.
Status DeriveRecords(Run& run, const Config& config, const ResolvedSources& sources,
                     const OriginFilter& wanted = nullptr);
// The mixture that DeriveRecords, without `wanted`, has left the rows for.
Result<Mixture> MixtureOf(const Run& run, const Config& config);
// What DeriveRecords left: encoded records under their content_id, in that order, equal ones
// merged, and rows with their weights.
Status ForEachRecord(const Run& run, const Mixture& mixture, const ShardReader::Visit& visit);

}  // namespace kernelmill
