#include "stages/cuda_executor/runtime/device/device_heap.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kernelmill/runtime_api.h>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/shared_memory/block_memory.h"

namespace kernelmill {
namespace {

using Wave = std::pair<std::uint64_t, std::uint64_t>;

// What a thread has allocated.
struct Piece {
  std::size_t size = 0;
  Wave wave;
  std::uint64_t thread = 0;
};

struct Heap {
  std::size_t limit = 8 << 20;
  std::size_t used = 0;  // What threads have, and what they have freed and may take again.
  bool begun = false;    // Whether a kernel has allocated from it.
  std::map<const char*, Piece> pieces;
  // The launch and which of its blocks run at once, and what their threads may take again.
  Wave wave;
  std::unordered_map<std::uint64_t, std::size_t> spare;
  // What the launch has freed, which the C library does not have back yet, and its bytes.
  std::vector<std::pair<void*, void (*)(void*)>> held;
  std::size_t held_bytes = 0;
};
Heap& TheHeap() {
  static auto* const heap = new Heap;
  return *heap;
}

std::uint64_t BlockNumber() {
  return blockIdx.x +
         std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
}

std::uint64_t ThreadOfGrid() { return BlockNumber() * 1024 + ThreadRank(); }

// Notes which blocks run. Those that follow others find all that was freed.
void EnterWave(Heap* heap) {
  const int blocks = MultiprocessorCount() *
                     BlocksPerMultiprocessor(static_cast<int>(ThreadCount()), Shared().dynamic);
  const Wave wave = {Log().launch_count(),
                     BlockNumber() / static_cast<std::uint64_t>(std::max(blocks, 1))};
  if (wave.first != heap->wave.first) {
    for (const auto& [memory, release] : heap->held) release(memory);
    heap->held.clear();
    heap->held_bytes = 0;
  }
  if (wave != heap->wave) {
    for (const auto& [thread, size] : heap->spare) heap->used -= size;
    heap->spare.clear();
    heap->wave = wave;
  }
}

// Whether the heap has so many bytes for the running thread, which are its then.
bool Take(std::size_t size) {
  Heap& heap = TheHeap();
  heap.begun = true;
  EnterWave(&heap);
  std::size_t& spare = heap.spare[ThreadOfGrid()];
  const std::size_t again = std::min(spare, size);
  if (size - again > heap.limit - std::min(heap.used, heap.limit)) return false;
  spare -= again;
  heap.used += size - again;
  return true;
}

template <typename Get>
void* Allocate(std::size_t size, Get get) {
  if (!CurrentBlock().running()) return get();
  if (!Take(size)) return nullptr;
  void* const memory = get();
  Heap& heap = TheHeap();
  if (memory == nullptr) {
    heap.used -= size;
  } else {
    heap.pieces[static_cast<const char*>(memory)] = {size, heap.wave, ThreadOfGrid()};
  }
  return memory;
}

// The bytes at the address that a kernel has allocated, which it has no more; 0 if none has. The
// thread that allocated them may take them again, whichever frees them.
std::size_t Forget(const void* memory) {
  Heap& heap = TheHeap();
  if (heap.pieces.empty()) return 0;
  const auto found = heap.pieces.find(static_cast<const char*>(memory));
  if (found == heap.pieces.end()) return 0;
  const Piece piece = found->second;
  heap.pieces.erase(found);
  if (CurrentBlock().running()) EnterWave(&heap);
  if (CurrentBlock().running() && piece.wave == heap.wave) {
    heap.spare[piece.thread] += piece.size;
  } else {
    heap.used -= piece.size;
  }
  return piece.size;
}

void Free(void* memory, void (*release)(void*)) {
  [[maybe_unused]] const std::size_t size = Forget(memory);
#ifdef KERNELMILL_CHECK_RACES
  // Another thread that got the same address would seem to race with this one.
  constexpr std::size_t kMostHeld = 256 << 20;
  Heap& heap = TheHeap();
  if (size > 0 && CurrentBlock().running() && heap.held_bytes + size <= kMostHeld) {
    heap.held_bytes += size;
    heap.held.emplace_back(memory, release);
    return;
  }
#endif
  release(memory);
}

}  // namespace

bool IsOfHeap(const void* address) {
  const auto& pieces = TheHeap().pieces;
  const char* const byte = static_cast<const char*>(address);
  auto found = pieces.upper_bound(byte);
  return found != pieces.begin() && (--found, byte < found->first + found->second.size);
}

std::size_t HeapLimit() { return TheHeap().limit; }
cudaError_t SetHeapLimit(std::size_t size) {
  Heap& heap = TheHeap();
  if (heap.begun && size != heap.limit) return Device().last_error = cudaErrorInvalidValue;
  heap.limit = size;
  return cudaSuccess;
}

}  // namespace kernelmill

// What an extension calls to allocate and to free (LinkFlags() in compile_flags.cc).
extern "C" {
using kernelmill::Allocate;
using kernelmill::Free;
void* __wrap_malloc(std::size_t size) {
  return Allocate(size, [=] { return std::malloc(size); });
}
void* __wrap__Znwm(std::size_t size) {
  return Allocate(size, [=] { return operator new(size); });
}
void* __wrap__Znam(std::size_t size) {
  return Allocate(size, [=] { return operator new[](size); });
}
void* __wrap__ZnwmRKSt9nothrow_t(std::size_t size, const std::nothrow_t& nothrow) {
  return Allocate(size, [&] { return operator new(size, nothrow); });
}
void* __wrap__ZnamRKSt9nothrow_t(std::size_t size, const std::nothrow_t& nothrow) {
  return Allocate(size, [&] { return operator new[](size, nothrow); });
}
void __wrap_free(void* memory) { Free(memory, std::free); }
void __wrap__ZdlPv(void* memory) {
  Free(memory, [](void* freed) { operator delete(freed); });
}
void __wrap__ZdaPv(void* memory) {
  Free(memory, [](void* freed) { operator delete[](freed); });
}
void __wrap__ZdlPvm(void* memory, std::size_t) { __wrap__ZdlPv(memory); }
void __wrap__ZdaPvm(void* memory, std::size_t) { __wrap__ZdaPv(memory); }
}
