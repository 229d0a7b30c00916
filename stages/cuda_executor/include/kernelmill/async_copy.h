// Copies from global to shared memory that go on while their thread does: cp.async of PTX, the
// pipeline functions and cooperative groups' memcpy_async(). On a device such a copy may be made as
// late as it is awaited, and shared memory may change as soon as it starts. So the destination is
// filled with values that no kernel expects when a copy starts, and the bytes arrive at the wait.
// What a copy reads is checked where it starts, what it writes is an access of the wait.
#pragma once

#include <kernelmill/access/aligned_access.h>
#include <kernelmill/executor.h>

#if __has_feature(address_sanitizer)
#define KM_MAKES_COPY __attribute__((noinline, no_sanitize("address"))) inline
#else
#define KM_MAKES_COPY __attribute__((always_inline)) inline
#endif

namespace kernelmill {

// A thread's share of a copy: every `step`-th byte from `first` on. The bytes from `filled` on are
// zeros instead.
struct AsyncCopy {
  char* to;
  const char* from;
  std::size_t first, step, size, filled;
};
// Keeps a copy of the calling thread until it is awaited. Returns false if the copy is to be made
// at once, because it does not go from global to shared memory.
bool StartCopy(const AsyncCopy& copy);
// Makes a group of the thread's copies that are in none.
void CommitCopies();
// Hands out the thread's oldest copy, to be made now, if it is in a group and that is none of the
// newest `left`.
bool TakeCopy(std::size_t left, AsyncCopy* copy);
// The same, whatever group it is in.
bool TakeCopy(AsyncCopy* copy);

// The check of the read belongs to the start of the copy. The compiler must not make a memcpy() of
// the loop, which the sanitizer would check.
__attribute__((noinline, no_sanitize("address", "coverage"))) inline void UncheckedBytes(
    void* to, const volatile char* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = from[i];
}
template <typename Part>
KM_MAKES_COPY void MakeWhole(const AsyncCopy& copy) {
  Part part{};
  UncheckedBytes(&part, copy.from, copy.filled);
  *reinterpret_cast<Part*>(copy.to) = part;
}
KM_MAKES_COPY void MakeCopy(const AsyncCopy& copy) {
  const bool whole = copy.step == 1 && copy.first == 0;
  if (whole && copy.size == 16) return MakeWhole<unsigned __int128>(copy);
  if (whole && copy.size == 8) return MakeWhole<std::uint64_t>(copy);
  if (whole && copy.size == 4) return MakeWhole<std::uint32_t>(copy);
  for (std::size_t i = copy.first; i < copy.size; i += copy.step) {
    char byte = 0;
    if (i < copy.filled) UncheckedBytes(&byte, copy.from + i, 1);
    copy.to[i] = byte;
  }
}

// Writes what is there, to have the place checked.
template <typename Part>
__attribute__((always_inline)) inline void StoreAgain(char* place) {
  Part part;
  UncheckedBytes(&part, place, sizeof part);
  *reinterpret_cast<volatile Part*>(place) = part;
}
// Accesses what the copy accesses, for the checks.
template <typename Part>
__attribute__((always_inline)) inline void TouchParts(const char* from, std::size_t size) {
  for (std::size_t at = 0; at + sizeof(Part) <= size; at += sizeof(Part)) {
    static_cast<void>(*reinterpret_cast<const volatile Part*>(from + at));
  }
}
__attribute__((always_inline)) inline void TouchCopy(const AsyncCopy& copy) {
  if (copy.step == 1 && copy.filled % 4 == 0 &&
      reinterpret_cast<std::uintptr_t>(copy.from) % 4 == 0) {
    TouchParts<std::uint32_t>(copy.from, copy.filled);
  } else {
    for (std::size_t i = copy.first; i < copy.filled; i += copy.step) {
      static_cast<void>(*static_cast<const volatile char*>(copy.from + i));
    }
  }
#if __has_feature(address_sanitizer)
  const bool whole = copy.step == 1 && copy.first == 0;
  if (whole && copy.size == 16) return StoreAgain<unsigned __int128>(copy.to);
  if (whole && copy.size == 8) return StoreAgain<std::uint64_t>(copy.to);
  for (std::size_t i = copy.first; i < copy.size; i += copy.step) StoreAgain<char>(copy.to + i);
#endif
}

// Starts a copy, which is in no group yet.
__attribute__((always_inline)) inline void BeginCopy(const AsyncCopy& copy) {
  TouchCopy(copy);
  if (!StartCopy(copy)) MakeCopy(copy);
}
// A copy of 4, 8 or 16 bytes by one thread, of which the bytes from `filled` on are zeros.
__attribute__((always_inline)) inline void BeginWholeCopy(void* to, const void* from,
                                                          std::size_t size, std::size_t filled,
                                                          Site site) {
  for (const void* place : {static_cast<const void*>(to), from}) {
    if (reinterpret_cast<std::uintptr_t>(place) % size != 0) ReportMisaligned(place, size, site);
  }
  BeginCopy({static_cast<char*>(to), static_cast<const char*>(from), 0, 1, size,
             filled < size ? filled : size});
}

// Waits for all groups but the newest `left`.
__attribute__((always_inline)) inline void AwaitGroups(std::size_t left) {
  for (AsyncCopy copy; TakeCopy(left, &copy);) MakeCopy(copy);
}
__attribute__((always_inline)) inline void AwaitCopies() {
  for (AsyncCopy copy; TakeCopy(&copy);) MakeCopy(copy);
}

}  // namespace kernelmill
