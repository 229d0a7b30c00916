// The memory counters of one launch, as a device's profiler reports them, computed from the
// addresses that its threads accessed. AccessCounter fills them, and LaunchRecord (launch_log.h)
// carries them to the judge.
#pragma once

#include <cstdint>

namespace kernelmill {

// A request is one load or store instruction that the active lanes of a warp execute together.
struct AccessCounts {
  std::uint64_t global_load_requests = 0;
  std::uint64_t global_load_sectors = 0;  // Distinct 32-byte sectors, summed over requests.
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_store_requests = 0;
  // Passes through shared memory in excess of those that the requests would take if no two lanes
  // accessed different words of the same bank (there are 32).
  std::uint64_t bank_conflicts = 0;
  std::uint64_t active_lanes = 0;    // Summed over all requests above.
  std::uint64_t global_atomics = 0;  // Counted per thread.
  std::uint64_t shared_atomics = 0;
};

}  // namespace kernelmill
