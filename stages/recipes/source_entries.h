// The configuration key `sources`, with the other keys that every run has: what an entry may say,
// and which repositories the entries name. configured_sources.h finds them.
#pragma once

#include <vector>

#include "manifests/config.h"
#include "stages/fetch/source_spec.h"

namespace kernelmill {

// The configuration keys that every run has: `seed`, `sources`, `exclude_records` and
// `partitions`.
std::vector<ConfigKey> RunKeys();

// kConfig if an entry is not one of a repository, a list of them and a file of tasks, or if there
// is nothing to make a dataset from.
Status CheckSources(const Config& config);
// The repositories that `sources` names, in the order of the configuration; equal ones once. Reads
// the lists. kConfig for an entry or a line that is wrong or could mean two things.
Result<std::vector<SourceSpec>> SourceSpecs(const Config& config);

}  // namespace kernelmill
