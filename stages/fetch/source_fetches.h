// Finds and fetches all repositories of a configuration, several at a time. Called by
// ResolveSources() (stages/recipes/configured_sources.h).
#pragma once

#include <string>
#include <vector>

#include "corpora/git/resolved_source.h"
#include "manifests/status.h"
#include "stages/fetch/source.h"

namespace kernelmill {

// How many repositories are fetched at a time unless the user says otherwise.
inline constexpr int kUsualFetches = 4;

// Resolve() for each spec, with at most `at_once` of them at work at a time, each in a thread and
// with a confined child of the program `child_program`. The result has their order.
//
// A source that fails does not end the others, so that one run tells of all of them: the error is
// that of the first in order, with a line on standard error for each other one. A problem of this
// machine (kDiskFull, kIo …) and kInterrupted end all.
Result<std::vector<ResolvedSource>> ResolveAll(const std::vector<SourceSpec>& specs,
                                               const FetchOptions& options, int at_once,
                                               const std::string& child_program);

}  // namespace kernelmill
