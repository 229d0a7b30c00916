// The shared memory of the running block: its dynamic part, and behind it the static variables in the
// order in which the block reaches them.
#pragma once

#include <cstddef>

namespace kernelmill {

constexpr std::size_t kSharedArena = 512 << 10;

struct SharedMemory {
  char* base = nullptr;
  std::size_t dynamic = 0;  // Dynamic shared memory of the launch, in bytes.
  std::size_t limit = 0;    // DynamicSharedLimit() of the launch.
  std::size_t used = 0;     // Where the next static variable goes.
  std::size_t statics = 0;  // Bytes of the block's static variables so far.

  // Begins anew for a block of which no variable has a place yet.
  void Begin();
};
SharedMemory& Shared();

// Fills a part of it that nothing has set: as FillFresh(), but the NaNs, of 16 bits and more, differ
// from one place to the next in an order that no code can know.
void FillShared(char* memory, std::size_t size);

}  // namespace kernelmill
