// What a step is made from: the run, its configuration and its sources. RunSteps()
// (stages/recipes/run_steps.h) fills it in, and StepSpec::make of each step reads it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/git/resolved_source.h"
#include "corpora/git/source_lock.h"
#include "manifests/config.h"
#include "manifests/origin.h"
#include "stages/engine/run.h"
#include "stages/samples/sample_source.h"
#include "stages/task_files/task_source.h"

namespace kernelmill {

class IndexCache;
struct RetryFolder;

// A dataset of ours whose tasks samples answer.
struct TaskDataset {
  std::string folder;
  Digest merkle_root;

  // The name in the published configuration: "merkle:<root>".
  std::string Name() const { return "merkle:" + merkle_root.Hex(); }
};

// What the configuration key `sources` names, found or fetched; for the recipe "rft", what `tasks`
// and `samples` name.
struct ResolvedSources {
  std::vector<ResolvedSource> repositories;  // Sorted by origin and commit.
  SourceLock lock;                           // Of the repositories, as the configuration asks.
  std::vector<TaskSource> tasks;             // Sorted by origin and hash.
  // Of the recipe "rft" only.
  std::vector<TaskDataset> datasets;  // Sorted by root.
  // Those of `tasks` whose tasks are all problems of a protected benchmark, by TaskSource::url.
  std::vector<std::string> protected_urls;
  std::vector<SampleSource> samples;  // In the order of the configuration.
  // The same responses with the log-probs of the policy that is trained, if there are any.
  std::optional<SampleSource> policy;
  // Of the file with times of the samples on a device, if there is one.
  std::optional<Digest> measurements;
  // What the round before has left (stages/retry/retry_folder.h); null in the first round.
  std::shared_ptr<const RetryFolder> previous;
  std::string previous_path;  // Of its round.json.
};

// Everything that it refers to must outlive the step.
struct StepContext {
  const Run& run;
  const Config& config;
  const ResolvedSources& sources;
  // Set when an audit repeats a run: a step then proposes only inputs of these origins, and no
  // limit drops one.
  OriginFilter wanted;
  // StepSpec::reads without the steps that did not run; all of these have finished.
  std::vector<std::string> reads;
  // The finished steps that contributed to the outputs of `step`, itself included, in order.
  std::function<std::vector<std::string>(std::string_view step)> steps_up_to;
  // The program that parses untrusted files in a confined child (UntrustedChild); "" parses in this
  // process, for tests.
  std::string child_program;
  // The repository indices that consecutive mining steps share. A step that uses them keeps them
  // alive.
  std::weak_ptr<IndexCache>& indices;
};

}  // namespace kernelmill
