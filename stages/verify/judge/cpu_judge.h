// Makes the options of judges that run kernels on this machine's CPU, with the compilers and the
// cache of this checkout.
#pragma once

#include <cstdint>
#include <string>

#include "corpora/kernel_backend.h"
#include "corpora/records/task_contract.h"
#include "manifests/status.h"
#include "stages/verify/judge/judge_options.h"

namespace kernelmill {

struct JudgingChoice {
  std::string policy = "strict";
  const KernelBackend* backend = &kCudaBackend;
  std::string target;  // A target of the backend; empty for its default.
  std::uint64_t seed = 42;
  std::string secret;  // JudgeOptions::secret; empty for answers that kernelmill has written.
  bool training = true;
  std::int64_t own_size_cpu_ms = 0;  // JudgeOptions::own_size_cpu_ms.
  TaskContract contract;  // That of the task (Task::Contract()), or more.
  // Each of these adds a build of the kernels. With the first two a candidate runs at two sets of
  // sizes, if it is right or ended where the cause may be hidden; with `count`, once, if it is
  // right.
  bool memory = false;  // Check every access for bounds.
  bool races = false;   // Check accesses for races.
  bool count = false;   // Count memory requests, as a profiler would.

  bool operator==(const JudgingChoice&) const = default;
};

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
