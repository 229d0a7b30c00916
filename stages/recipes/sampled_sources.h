// Finds what the configuration keys `tasks` and `samples` of the recipe "rft" name, and writes the
// configuration that its dataset publishes.
#pragma once

#include <string>

#include "manifests/config.h"
#include "stages/engine/step_context.h"

namespace kernelmill {

// The datasets, files and checkouts with tasks, and the files with samples. kConfig, with the
// entry, for one that is missing, damaged or named twice.
Result<ResolvedSources> ResolveSampledSources(const Config& config);

// The configuration as a dataset publishes it: everything by name and hash.
Result<std::string> SampledConfigurationText(const Config& config, const ResolvedSources& sources);

}  // namespace kernelmill
