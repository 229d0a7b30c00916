// Finds what the configuration keys `tasks`, `samples` and `retry.previous` of the recipe "rft"
// name, and writes the configuration that its dataset publishes. `sample` asks about the same
// `tasks` before there are samples (asked_tasks.h).
#pragma once

#include <cstdint>
#include <string>

#include "manifests/config.h"
#include "stages/engine/step_context.h"

namespace kernelmill {

// The datasets, files and checkouts that `tasks` names. kConfig, with the entry, for one that is
// missing or named twice, and when there is none.
Result<ResolvedSources> ResolveSampledTasks(const Config& config);

// The datasets, files and checkouts with tasks, the files with samples, and what the round before
// has left. kConfig, with the entry, for one that is missing or named twice, and for a round that
// does not follow the one before; kCorrupt for a retry buffer that was changed.
Result<ResolvedSources> ResolveSampledSources(const Config& config);

// The number of the round, from 1.
std::int64_t RoundOf(const ResolvedSources& sources);

// The configuration as a dataset publishes it: everything by name and hash.
Result<std::string> SampledConfigurationText(const Config& config, const ResolvedSources& sources);

}  // namespace kernelmill
