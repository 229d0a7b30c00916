// Runs the recipe "rft": joins samples of models to their tasks, judges and selects them, and
// publishes an RFT dataset. Beside what every dataset has (dataset_build.h), its folder holds
//
//   verdicts.jsonl  a line for each sample, as `verify` writes them
//                   (stages/verify/run/verify_run.h), with the members "sample", the content_id of
//                   its record, and "place", the file, line and SHA-256 of the line that it was
//                   read from
//   measurements.jsonl  the samples' lines of the file that select.measurements names, with the
//                   keys of verdicts.jsonl (stages/device/measurement_file.h)
//   scores.json     Pass@k and the other scores of the samples (stages/scores/scores.h)
//   selection.json  what was selected (SampleSelection::ToJson())
//   rewards.jsonl   a line for each trajectory, with the reward of each turn, its value for
//                   training on rewards and its mask (stages/reward/round_rewards.h)
//   rewards.json    the groups of these, and what the masks leave out
//   retry/          the retry buffer after the round (stages/retry/retry_folder.h)
//   judging.json    the secret that inputs of candidates followed from, and its commitment
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/dataset_pages/dataset_description.h"
#include "manifests/config.h"
#include "stages/engine/step_context.h"
#include "stages/mix/mix_rows.h"
#include "stages/recipes/dataset_build.h"
#include "stages/samples/run_tasks.h"

namespace kernelmill {

// Every key that a configuration of this recipe may set.
std::vector<ConfigKey> RftKeys();

// Builds the dataset in `options.output`, or resumes an unfinished build, as BuildSftDataset()
// does. kWorker when some samples have no verdict because this machine failed: the next call judges
// them.
Result<BuiltDataset> BuildRftDataset(const Config& config, const BuildOptions& options);

// The following functions are the parts of a build that an audit repeats.

// Runs all steps. With `wanted`, only tasks of these origins and their samples continue after
// "recall", unless a budget makes all samples decide together; every verdict is judged anew.
Status RunRftSteps(Run& run, const Config& config, const ResolvedSources& sources,
                   const OriginFilter& wanted = nullptr);
// Visits the encoded records that RunRftSteps() produced, as ForEachRecord() does.
Status ForEachRftRecord(const Run& run, const RowMixer& mixer, const Mixture& mixture,
                        const ShardReader::Visit& visit);
// What the pages of the dataset in `folder` say of its samples, read from its configuration,
// verdicts, selection, rewards and retry buffer. `tasks` needs no names.
Result<SampleFacts> SampleFactsOf(const std::string& folder, const RunTasks& tasks);
// Gives a new run the secret that the dataset in `folder`, of this configuration, publishes.
Status AdoptSecret(const std::string& folder, const Config& config, const Run& run);

}  // namespace kernelmill
