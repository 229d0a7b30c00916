// The figures that compiling and running an answer gave (registers, occupancy, counters), and their
// sums by which optimize rows choose a slower and a faster answer.
#pragma once

#include <string>

#include "corpora/records/candidate.h"

namespace kernelmill {

// The compiler's report on a kernel. Null without one, and for MUSA kernels, which CUDA's compiler
// saw under other names.
const VerdictDeviceKernel* DeviceFiguresOf(const Verdict& verdict, const std::string& kernel);

// The counters of a verdict, summed over all its launches.
struct CountedWork {
  std::int64_t launches = 0, requests = 0, sectors = 0, bank_conflicts = 0, atomics = 0;
  std::int64_t threads = 0;
  bool all_counted = false;  // There are launches, and every one was counted.
};
CountedWork CountedWorkOf(const Verdict& verdict);
// Whether `after` costs less than `before`: no counter is larger, and sectors, launches, requests
// or bank conflicts are fewer by at least a tenth. `after` must have at least an eighth of the
// threads, because a launch that leaves the device idle has low counters and is not faster.
bool IsStrictlyBetter(const CountedWork& after, const CountedWork& before);

}  // namespace kernelmill
