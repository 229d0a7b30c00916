// Simulates separate host and device address spaces in one process. Memory of tensors and of
// cudaMalloc() lies in pages of its own, and what runs determines which pages may be accessed: host
// code of an extension may access host memory, kernels may access device memory, and Python,
// torch's operators and the cudaMemcpy family may access both. Pages are opened on first access
// (SIGSEGV) and closed when something else runs.
//
// Torch has only CPU tensors here, so the space of a tensor is inferred from its use. It starts as
// kUnknown, and the first access by a kernel or by host code determines it. A later access from the
// other side is a fault, as it would be on a device.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stages/cuda_executor/runtime/launch_log.h"

namespace kernelmill {

enum class Space : unsigned char {
  kUnknown,
  kDevice,
  kHost,
  kBoth,  // Pinned and managed memory, and tensors that were moved between devices.
};
enum class Running : unsigned char { kAnything, kHostCode, kKernel };

// Allocates at least `size` bytes, aligned to 512 bytes as on a device. Returns null if memory is
// exhausted.
void* AllocateIn(Space space, std::size_t size);
// Frees memory of AllocateIn(), and ignores other addresses.
void ReleaseMemory(void* memory);

// The space of the memory at `address`. Nothing for memory that certainly belongs to the host: its
// stack and heap. Variables of libraries are kBoth, because device symbols are among them; so is
// released memory.
std::optional<Space> SpaceOf(const void* address);
// Whether the address lies in an allocation of AllocateIn() that was not released.
bool IsAllocated(const void* address);
// The number of allocations since ForgetAccesses() before the one that holds `address`; nothing for
// older allocations and other memory. A forward() that runs again allocates in the same order.
std::optional<std::uint64_t> AllocationNumber(const void* address);
struct AllocatedMemory {
  char* first;
  std::size_t size;  // The requested size.
};
// The allocation with this number, unless it was released.
std::optional<AllocatedMemory> AllocationAt(std::uint64_t number);
// Sets the space of the allocation that holds `address`. If the memory was allocated elsewhere, its
// `size` bytes are recorded as kBoth.
void SetSpace(const void* address, std::size_t size, Space space);

// Declares what runs during the object's lifetime. `function` names the extension's function in
// messages and must outlive the object.
class RunningScope {
 public:
  explicit RunningScope(Running running, const char* function = nullptr);
  ~RunningScope();
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;

 private:
  Running before_;
  const char* function_before_;
};
Running WhoRuns();

// The meaning of a SIGSEGV.
struct AccessDecision {
  bool go_on = false;          // The access is allowed now, so the instruction can be retried.
  std::optional<Fault> fault;  // The fault of the running kernel.
};
AccessDecision DecideAccess(const siginfo_t& info, void* context);
// Handles SIGSEGV outside of launches. A fault of host code is logged, and all memory then stays
// open until ForgetAccesses(), so that the call can finish.
void WatchHostCode();
// Ends the state after a fault of host code, and restarts AllocationNumber() at 0.
void ForgetAccesses();

}  // namespace kernelmill
