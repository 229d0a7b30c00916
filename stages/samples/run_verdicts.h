// The verdicts on the samples of a run of the recipe "rft".
#pragma once

#include <map>
#include <string>

#include "corpora/records/verdict.h"
#include "stages/engine/run.h"

namespace kernelmill {

// Of the outputs of the finished step "verify", by JoinedSample::key.
Result<std::map<std::string, Verdict>> VerdictsOf(const Run& run);

}  // namespace kernelmill
