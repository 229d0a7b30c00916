// Checks, finds and records the sources that the configuration key `sources` names, so that a
// resumed run uses the sources that it started with and an audit finds the same ones again. Those
// of the recipe "rft" are found in sampled_sources.h and recorded here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/config.h"
#include "stages/engine/step_context.h"
#include "stages/fetch/source.h"
#include "stages/fetch/source_fetches.h"

namespace kernelmill {

// A file in DIR/.run that says where the sources of the dataset in DIR lie on this machine. An
// audit on this machine reads it; it is not part of the dataset. Its entries are {origin:
// repository}, {Tokenizer::name(): file}, {"sha256:…": file or folder of tasks, of samples or
// of log-probs, table of a benchmark, or round.json of the round before}, and {"merkle:…":
// dataset}.
inline constexpr std::string_view kFoldersName = "folders.json";
// A file in DIR/.run: the lock of the run's sources (corpora/git/source_lock.h).
inline constexpr std::string_view kLockName = "sources.lock";

// The files of tasks that `sources` names, with their hashes. Needs no network.
Result<std::vector<TaskSource>> ResolveTaskSources(const Config& config);

struct SourceOptions {
  std::string cache;            // The folder of fetched repositories.
  int fetches = kUsualFetches;  // The most at a time.
  std::string lock = {};        // A file that fixes all commits (SourceLock); "" for none.
  // A folder whose unfinished run, if there is one, keeps its commits although a branch of a remote
  // has moved; "" for none. A lock comes first.
  std::string resumes = {};
  // UntrustedChild::program_.
  std::string child_program = "/proc/self/exe";
};
// The repositories that `sources` names, with the commits that the options fix. Needs no network.
// kConfig if the lock does not have exactly these sources.
Result<std::vector<SourceSpec>> PinnedSpecs(const Config& config, const SourceOptions& options);
// Where and how much of them is fetched.
FetchOptions FetchOptionsOf(const Config& config, const SourceOptions& options);
// Finds or fetches everything that `sources` names; equal repositories are one.
Result<ResolvedSources> ResolveSources(const Config& config, const SourceOptions& options);

// The configuration as a dataset publishes it: repositories by origin and commit; the tokenizer's
// file, files of tasks and tables of benchmarks by their hashes.
Result<std::string> ConfigurationText(const Config& config, const ResolvedSources& sources);
// Replaces the paths of the tokenizer and of tables of benchmarks by the hashes of these files.
Status NameFilesByHash(const Config& config, Json* json);
// Records the sources of a new run, and their lock as kLockName. kPlanChanged if a resumed run
// started with other sources.
Status HoldSources(const Run& run, const ResolvedSources& sources);
// The same for a rank, which changes nothing: kNotFound if the run has no record of its sources.
Status CheckHeldSources(const Run& run, const ResolvedSources& sources);
// Writes the file kFoldersName.
Status RememberFolders(const Run& run, const Config& config, const ResolvedSources& sources);

}  // namespace kernelmill
