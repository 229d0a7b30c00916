// Runs the recipe "sft": builds and publishes an SFT dataset from a configuration, and gives the
// audit the parts of a build that it repeats.
#pragma once

#include <vector>

#include "corpora/shards/shard.h"
#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step_context.h"
#include "stages/mix/mix_rows.h"
#include "stages/recipes/dataset_build.h"

namespace kernelmill {

// Every key that a configuration of this recipe may set.
std::vector<ConfigKey> SftKeys();

// Builds the dataset in `options.output`, or resumes an unfinished build. A complete dataset that
// was made from the same configuration is left as it is and summarised. kExists if it was made from
// another configuration, kBusy while another process works in the folder.
Result<BuiltDataset> BuildSftDataset(const Config& config, const BuildOptions& options);

// The following functions are the parts of a build that an audit repeats.

// Runs all steps up to the rows. With `wanted`, only records of these origins continue after
// mining, and no limit applies.
Status RunStepsUpToRows(Run& run, const Config& config, const ResolvedSources& sources,
                        const OriginFilter& wanted = nullptr);
// What decides on the weights of the rows that RunStepsUpToRows() produced.
Result<RowMixer> MixerOf(const Run& run, const Config& config);
// The mixture of these rows. RunStepsUpToRows() must have run without `wanted`.
Result<Mixture> MixtureOf(const Run& run, const RowMixer& mixer, const Config& config);
// Visits the encoded records that RunStepsUpToRows() produced, in the order of their content_ids.
// Equal records are merged, and rows have their weights. `also`: records beside those about which
// there are rows.
Status ForEachRecord(const Run& run, const RowMixer& mixer, const Mixture& mixture,
                     const ShardReader::Visit& visit, const std::vector<Record>& also = {});

}  // namespace kernelmill
