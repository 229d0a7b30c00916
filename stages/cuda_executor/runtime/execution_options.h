// The options of launches: their order, limits and what they run. The judge sets them between
// calls, through the Python module's configure() (python_module.cc); every launch reads them. A
// candidate never sets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stages/cuda_executor/runtime/launch_sample.h"

namespace kernelmill {

struct ExecutionOptions {
  // 0 runs blocks and threads in ascending order; any other seed gives another order.
  std::uint64_t seed = 0;
  unsigned fresh = 0;  // Chooses what FillFresh() writes.
  // Scheduler steps that one launch may take: thread starts, switches, barriers, warp operations
  // and atomics.
  std::uint64_t step_budget = 2'000'000'000;
  int warp_width = 32;
  // If false, launches are checked and recorded, but kernels do not run. A result that is right
  // even then was not computed by kernels.
  bool run_kernels = true;
  // If false, new memory of the device stays as the system gives it, for inputs without values:
  // tensors may be larger than what the machine has.
  bool fills_memory = true;
  // Whether so much unused memory lies behind each allocation that a block which writes beside it
  // does not reach the next one. If memory is not filled, nobody can access what lies behind.
  bool spread_memory = false;
  // Whether tensors that an extension creates without naming a device are on the host, as in torch.
  bool host_by_default = false;
  // Whether what a kernel can see besides its arguments is as on a device, where that costs time
  // here: memory that nothing has set holds what earlier work may have left there, all threads of a
  // block do an atomic operation before one does the next, and local variables have one address in
  // all threads.
  bool as_device = false;
  // What a kernel needs of a multiprocessor, as host code may ask for it or for the occupancy that
  // follows from it (ResidentBlocks() in runtime_api.h): 0 for little, other numbers for other
  // needs.
  std::uint64_t residency = 0;
  // If set, only some blocks of each launch run.
  std::optional<LaunchSample> sample;

  // Whether what nothing has set is filled. Without kernels nothing is computed from it.
  bool fills_fresh() const { return fills_memory && run_kernels; }
};

ExecutionOptions& Options();

// Fills memory that nothing has set: for even numbers ExecutionOptions::fresh with NaN in every
// floating-point format, for odd ones with large positive numbers, zeros and large negative numbers
// in turn, or with zeros alone, as most memory of a device is. A result that is right by chance
// with one of them is wrong with another. With ExecutionOptions::as_device it fills with numbers
// that are plausible in every format: nobody can tell them from what work on a device has left.
void FillFresh(void* memory, std::size_t size);
inline bool FillsFreshWithNan() { return Options().fresh % 2 == 0 && !Options().as_device; }
void SetWarpWidth(int width);

}  // namespace kernelmill
