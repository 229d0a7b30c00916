// What a profiler of a device would show of a launch, from the addresses that its threads accessed.
#pragma once

#include <cstdint>

namespace kernelmill {

// A request is one load or store instruction of one warp: what those lanes did that met there.
struct AccessCounts {
  std::uint64_t global_load_requests = 0;
  std::uint64_t global_load_sectors = 0;  // Of 32 bytes, distinct in each request.
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_store_requests = 0;
  // Passes through shared memory beyond those that its requests would take without two words in one
  // of the 32 banks.
  std::uint64_t bank_conflicts = 0;
  std::uint64_t active_lanes = 0;    // Summed over all requests above.
  std::uint64_t global_atomics = 0;  // Of single threads.
  std::uint64_t shared_atomics = 0;
};

}  // namespace kernelmill
