// How launches run. Set by the judge between calls, never by a candidate.
#pragma once

#include <cstdint>
#include <optional>

#include "stages/cuda_executor/runtime/launch_sample.h"

namespace kernelmill {

struct ExecutionOptions {
  // 0: blocks and threads in their natural order. Any other number gives an order of its own.
  std::uint64_t seed = 0;
  // Scheduler steps that one launch may take: thread starts, switches, barriers, warp operations
  // and atomics.
  std::uint64_t step_budget = 2'000'000'000;
  int warp_width = 32;
  // Off: launches are checked and recorded, and no kernel runs. What is right all the same has not
  // been computed by kernels.
  bool run_kernels = true;
  // Whether tensors that an extension makes without naming a device are the host's, as torch says.
  bool host_by_default = false;
  // Only some blocks of each launch run.
  std::optional<LaunchSample> sample;
};

ExecutionOptions& Options();
void SetWarpWidth(int width);

}  // namespace kernelmill
