// What the configuration key `sources` names: how it is checked, found and recorded, so that a run
// goes on with the sources that it began with and an audit finds the same again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/config.h"
#include "stages/fetch/source.h"
#include "stages/sources/step_context.h"

namespace kernelmill {

// In DIR/.run: where this machine has the sources of the dataset in DIR, for an audit here; not
// part of the dataset. {origin: repository}, {Tokenizer::name(): file}, and {"sha256:…": file or
// folder of tasks, table of a benchmark}.
inline constexpr std::string_view kFoldersName = "folders.json";

// The keys of every run: `seed`, `sources` and `partitions`.
std::vector<ConfigKey> RunKeys();

// kConfig where an entry is neither a repository nor a file of tasks, or where there is nothing to
// make a dataset from.
Status CheckSources(const Config& config);
// The repositories that `sources` names, in the order of the configuration.
std::vector<SourceSpec> SourceSpecs(const Config& config);
// The files of tasks that it names, hashed. Needs no network.
Result<std::vector<TaskSource>> ResolveTaskSources(const Config& config);
// Finds or fetches everything that `sources` names. `cache` is the folder of fetched repositories.
Result<ResolvedSources> ResolveSources(const Config& config, const std::string& cache);

// The configuration as a dataset publishes it: repositories by origin and commit; the tokenizer's
// file, files of tasks and tables of benchmarks by their hashes.
Result<std::string> ConfigurationText(const Config& config, const ResolvedSources& sources);
// Commits the sources of a new run. kPlanChanged where a run that goes on began with others.
Status HoldSources(const Run& run, const ResolvedSources& sources);
// Writes kFoldersName.
Status RememberFolders(const Run& run, const Config& config, const ResolvedSources& sources);

}  // namespace kernelmill
