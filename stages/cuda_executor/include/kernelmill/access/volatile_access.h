// Tells the race detector which accesses are volatile: on a device such an access is a relaxed
// atomic load or store (PTX ISA, "ld", "st"). The compiler's callbacks do not say so. In builds
// that check races, the rewrite (parsers/cuda_rewrite.h) passes places in memory through
// MaybeVolatile(), if the extension's text names volatile memory.
#pragma once

#include <type_traits>

#include <kernelmill/executor.h>

namespace kernelmill {

// The accesses of the running thread that follow are volatile, up to the first one of another
// address.
void NoteVolatileAccess(const void* address);

// Returns `place`.
template <typename T>
__attribute__((always_inline)) constexpr decltype(auto) MaybeVolatile(T&& place) {
  if constexpr (std::is_volatile_v<std::remove_reference_t<T>>) {
    NoteVolatileAccess(const_cast<const std::remove_cvref_t<T>*>(__builtin_addressof(place)));
  }
  // A value, such as that of an operator of a class, has to outlive this call.
  return static_cast<T>(static_cast<T&&>(place));
}

}  // namespace kernelmill
