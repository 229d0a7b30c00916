// Checks, finds and records the sources that the configuration key `sources` names, so that a
// resumed run uses the sources that it started with and an audit finds the same ones again. Those
// of the recipe "rft" are found in sampled_sources.h and recorded here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/config.h"
#include "stages/engine/step_context.h"
#include "stages/fetch/source.h"

namespace kernelmill {

// A file in DIR/.run that says where the sources of the dataset in DIR lie on this machine. An
// audit on this machine reads it; it is not part of the dataset. Its entries are {origin:
// repository}, {Tokenizer::name(): file}, {"sha256:…": file or folder of tasks, of samples or
// of log-probs, table of a benchmark, or round.json of the round before}, and {"merkle:…":
// dataset}.
inline constexpr std::string_view kFoldersName = "folders.json";

// The configuration keys that every run has: `seed`, `sources`, `exclude_records` and
// `partitions`.
std::vector<ConfigKey> RunKeys();

// kConfig if an entry is neither a repository nor a file of tasks, or if there is nothing to make a
// dataset from.
Status CheckSources(const Config& config);
// The repositories that `sources` names, in the order of the configuration.
std::vector<SourceSpec> SourceSpecs(const Config& config);
// The files of tasks that `sources` names, with their hashes. Needs no network.
Result<std::vector<TaskSource>> ResolveTaskSources(const Config& config);
// The commits that the unfinished run in the folder `output` began with, by
// SourceSpec::CacheName(); empty when there is no such run.
using HeldCommits = std::map<std::string, std::string>;
Result<HeldCommits> HeldCommitsOf(const std::string& output);
// Finds or fetches everything that `sources` names. `cache` is the folder of fetched repositories.
// URLs in `held` stay at their commits, so that a run can be resumed after a branch has moved.
Result<ResolvedSources> ResolveSources(const Config& config, const std::string& cache,
                                       const HeldCommits& held = {});

// The configuration as a dataset publishes it: repositories by origin and commit; the tokenizer's
// file, files of tasks and tables of benchmarks by their hashes.
Result<std::string> ConfigurationText(const Config& config, const ResolvedSources& sources);
// Replaces the paths of the tokenizer and of tables of benchmarks by the hashes of these files.
Status NameFilesByHash(const Config& config, Json* json);
// Records the sources of a new run, with their commits for HeldCommitsOf(). kPlanChanged if a
// resumed run started with other sources.
Status HoldSources(const Run& run, const ResolvedSources& sources);
// The same for a rank, which changes nothing: kNotFound if the run has no record of its sources.
Status CheckHeldSources(const Run& run, const ResolvedSources& sources);
// Writes the file kFoldersName.
Status RememberFolders(const Run& run, const Config& config, const ResolvedSources& sources);

}  // namespace kernelmill
