// Simulates separate host and device address spaces in one process. Memory of tensors and of
// cudaMalloc() lies in pages of its own, and what runs determines which pages may be accessed: host
// code (a candidate's Python and what it calls, and an extension's host functions) may access host
// memory, kernels may access device memory, and torch's operators and the cudaMemcpy family may
// access both. Pages are opened on first access (SIGSEGV) and closed when something else runs.
//
// Torch has only CPU tensors here, so the space of a tensor is inferred from its use. It starts as
// kUnknown; the first access by a kernel or by host code, or the inputs of the operator that makes
// it, determine it. A later access from the other side is a fault, as it would be on a device.
//
// BytesToHost() counts the device's values that reach the host. It holds by construction, whatever
// names the code uses: device memory is closed to host code, and each way out of it counts. These
// are the memory functions (memory.cc), torch's operators and what moves tensors
// (operator_memory.h, tensor_moves.h), memory of both spaces that host code accesses after a kernel
// or an operator wrote to it, and accesses of torch's code outside of its operators. What it does
// not see: system calls that read another way than through pages (/proc/self/mem, which the sandbox
// forbids), memory of the host that a kernel reaches by a pointer inside of a struct (the build
// that sees each access refuses it, reachable_memory.h), and host code inside of an operator, in
// memory that this operator has opened.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "stages/cuda_executor/runtime/launch_log.h"

namespace kernelmill {

enum class Space : unsigned char {
  kUnknown,
  kDevice,
  kHost,
  kBoth,  // Pinned and managed memory, and tensors that C++ code has moved to a device or back.
};
// kOperator: one of torch's operators that host code has called.
enum class Running : unsigned char { kAnything, kHostCode, kKernel, kOperator };

// Allocates at least `size` bytes, aligned to 512 bytes as on a device. Returns null if memory is
// exhausted.
void* AllocateIn(Space space, std::size_t size);
// Frees memory of AllocateIn(), and ignores other addresses.
void ReleaseMemory(void* memory);

// The space of the memory at `address`. Nothing for memory that certainly belongs to the host: its
// stack and heap, and variables of libraries. Constants of libraries are kBoth, because those of
// the device are among them; so is released memory.
std::optional<Space> SpaceOf(const void* address);
// An address that a kernel cannot access, in place of a pointer to the host's memory or functions
// that it gets as its argument number `number`.
void* InaccessibleArgument(const void* pointer, std::size_t number);
struct MemoryState {
  Space space = Space::kUnknown;
  // Whether the memory may hold what kernels wrote, or what came from other device memory. Always
  // true for kDevice, and never for kHost.
  bool device_data = false;
  std::uint64_t number = 0;  // Counts all allocations.
};
// The state of the allocation that holds `address`; nothing for other memory.
std::optional<MemoryState> StateOf(const void* address);
// Sets it, and does nothing for other memory.
void SetState(const void* address, Space space, bool device_data);
// The bytes from `address` to the end of the allocation that holds it; 0 for other memory.
std::size_t BytesBehind(const void* address);
// The MemoryState::number of the next allocation.
std::uint64_t AllocationCount();

// How many bytes of the device's values host code could have read so far. Never decreases: it is
// not reset, and host code that finds its place in memory cannot write to it.
std::uint64_t BytesToHost();
void CountToHost(std::size_t bytes);

// The number of allocations since ForgetAccesses() before the one that holds `address`; nothing for
// older allocations and other memory. A forward() that runs again allocates in the same order.
std::optional<std::uint64_t> AllocationNumber(const void* address);
struct AllocatedMemory {
  char* first;
  std::size_t size;  // The requested size.
};
// The allocation with this number, unless it was released.
std::optional<AllocatedMemory> AllocationAt(std::uint64_t number);

// What a replay (replay.h) needs of the allocations. While released memory is retained it keeps its
// pages and values, and no allocation gets them; releasing it ends with RetainReleased(false).
void RetainReleased(bool retain);
void ForEachAllocation(
    const std::function<void(const AllocatedMemory&, const MemoryState&)>& visit);
// The allocations from this number on that are not the host's, also those that are retained.
std::vector<AllocatedMemory> AllocatedSince(std::uint64_t number);
// The allocations whose values host code or torch may have written since the last call, and that a
// kernel may read: those without values of the device.
std::vector<AllocatedMemory> TakeWrittenByHost();

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
