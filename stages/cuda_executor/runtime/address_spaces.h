// Two address spaces in one process. Memory of tensors and of cudaMalloc lies in pages of its own,
// and who runs decides which of them may be used: host code of an extension reaches host memory,
// kernels reach device memory, Python, torch's operators and the cudaMemcpy family reach both.
// Pages are opened when somebody first touches them (SIGSEGV) and closed when somebody else runs.
//
// Torch has one kind of tensor here, so what a tensor is shows in its use. It begins as kUnknown;
// the first to touch it, a kernel or host code, decides. Whoever of the other side touches it then
// does what no device allows.
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

// Memory of at least `size` bytes, aligned to 512 as on a device; null when there is none.
void* AllocateIn(Space space, std::size_t size);
// Does nothing for what AllocateIn has not given.
void ReleaseMemory(void* memory);

// Whose the memory at `address` is. Nothing for what is certainly the host's own, its stack and
// heap. Variables of libraries are kBoth, symbols of the device are among them; so is what has been
// released.
std::optional<Space> SpaceOf(const void* address);
// Whether it lies in memory that AllocateIn has given and nobody has released.
bool IsAllocated(const void* address);
// How many allocations came before the one that holds `address`, since ForgetAccesses(); nothing
// for older ones and other memory. A forward() that runs again takes its memory in the same order.
std::optional<std::uint64_t> AllocationNumber(const void* address);
struct AllocatedMemory {
  char* first;
  std::size_t size;  // As asked for.
};
// The allocation of that number, while it lives.
std::optional<AllocatedMemory> AllocationAt(std::uint64_t number);
// Says what the allocation that holds `address` is. Of memory from elsewhere, `size` bytes are
// noted as kBoth.
void SetSpace(const void* address, std::size_t size, Space space);

// For as long as it lives, `running` runs. `function`: of the extension, for messages; outlives it.
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

// What SIGSEGV means.
struct AccessVerdict {
  bool go_on = false;          // The access is in order now: the instruction may run again.
  std::optional<Fault> fault;  // Of the kernel that runs.
};
AccessVerdict JudgeAccess(const siginfo_t& info, void* context);
// Handles SIGSEGV outside of launches. A fault of host code goes into the log, and from then on all
// memory is open until ForgetAccesses(): the rest of the call can do no harm.
void WatchHostCode();
// Also begins the numbers of allocations anew.
void ForgetAccesses();

}  // namespace kernelmill
