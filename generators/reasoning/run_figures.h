// The figures that compiling and running an answer gave (registers, occupancy, counters), and their
// sums by which optimize rows choose a slower and a faster answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/candidate.h"

namespace kernelmill {

// The compiler's report on a kernel. Null without one, and for MUSA kernels, which CUDA's compiler
// saw under other names.
const VerdictDeviceKernel* DeviceFiguresOf(const Verdict& verdict, const std::string& kernel);

// The counters of a verdict, summed over all its launches.
struct CountedWork {
  std::int64_t launches = 0, requests = 0, sectors = 0, bank_conflicts = 0, atomics = 0;
  std::int64_t threads = 0, blocks = 0;
  std::int64_t shared_passes = 0;  // Requests to shared memory and bank conflicts.
  bool all_counted = false;  // There are launches, and every one was counted.
};
CountedWork CountedWorkOf(const Verdict& verdict);
// The launches with counters, those with the most traffic first.
std::vector<const VerdictLaunch*> CountedLaunches(const Verdict& verdict);
// How often one call launches a kernel: as counted, or else one launch for each planned kernel.
std::int64_t LaunchesOf(const Candidate& answer);
// Whether some kernel divides a row, a column or a sum over several blocks.
bool IsSplit(const Candidate& answer);
bool IsSplit(const DesignedKernel& plan);
// What makes one answer faster than another one: something that costs time, at the task's own
// sizes.
enum class Gain {
  kNone,
  kLaunches,  // Fewer launches, and no more traffic.
  kSectors,   // Clearly fewer sectors, and no other counter that grows.
  kSpeed,     // The estimated speed is clearly higher, and the traffic is not larger or is the
              // price of more blocks.
};
// kNone when the estimate of `after` is lower, when its grid leaves a device idle that `before`
// fills, or when it gives up a split over several blocks and does not fill the device without it.
// Requests and bank conflicts alone hardly change the time of a call.
Gain GainOf(const Candidate& after, const Candidate& before);

}  // namespace kernelmill
