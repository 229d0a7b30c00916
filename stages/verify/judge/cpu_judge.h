// Makes the options of judges that run kernels on this machine's CPU, with the compilers and the
// cache of this checkout.
#pragma once

#include <string>

#include "manifests/status.h"
#include "stages/verify/judge/judge_options.h"
#include "stages/verify/judge/judging_choice.h"

namespace kernelmill {

// The options of a judge for this choice. Compiles the executor unless the cache has it, which
// takes minutes; a command asks for them before any other work, so that a missing compiler or an
// unknown policy is reported first. kUsage for an unknown policy or
// target, kEnvironment if a compiler is
// missing.
Result<JudgeOptions> PrepareJudging(const JudgingChoice& choice);

// The hash of everything that compiles and runs kernels on this machine: the executor's sources,
// compilers, torch's headers. Compiles nothing but the small program that calls NVRTC, once.
Result<std::string> ExecutorKey();

}  // namespace kernelmill
