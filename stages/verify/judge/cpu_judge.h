// A judge that runs kernels on this machine's processor, with the checkout's own cache.
#pragma once

#include <cstdint>
#include <string>

#include "corpora/kernel_backend.h"
#include "manifests/status.h"
#include "stages/verify/judge/judge_options.h"

namespace kernelmill {

struct CpuJudgeChoice {
  std::string policy = "strict";
  const KernelBackend* backend = &kCudaBackend;
  std::uint64_t seed = 42;
  bool training = true;
  // Each is another build of the same kernels, and another run of what is judged.
  bool memory = false;
  bool races = false;
  bool count = false;

  bool operator==(const CpuJudgeChoice&) const = default;
};

// Compiles what kernels run on when the cache does not have it yet: minutes. kNotFound for an
// unknown policy, and when a compiler is missing.
Result<JudgeOptions> CpuJudge(const CpuJudgeChoice& choice);

}  // namespace kernelmill
