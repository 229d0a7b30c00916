// Has the alignment of an access checked. The compiler's own check covers scalars, members and
// references (runtime/compiler_checks.cc), but neither the copy of a structure such as float4 nor
// what is volatile. The rewrite (parsers/cuda_rewrite.h) therefore passes places in memory through
// Aligned().
#pragma once

#include <kernelmill/executor.h>

namespace kernelmill {

// Ends the launch if a thread accesses memory at an address that is misaligned.
void ReportMisaligned(const void* address, std::size_t alignment, Site site);
// For accesses within functions of the executor. `site` is that of the call.
template <typename T>
__attribute__((always_inline)) inline void RequireAligned(const volatile T* address, Site site) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignof(T) != 0) [[unlikely]] {
    ReportMisaligned(const_cast<const T*>(address), alignof(T), site);
  }
}

// Returns `place`. The compiler checks the alignment of what a reference is bound to, but not of
// what is volatile.
template <typename T>
__attribute__((always_inline, no_sanitize("alignment"))) constexpr decltype(auto) Aligned(T&& place,
                                                                                          KM_HERE) {
  if constexpr (std::is_volatile_v<std::remove_reference_t<T>>) {
    RequireAligned(__builtin_addressof(place), KM_SITE);
  }
  // A value, such as that of an operator of a class, has to outlive this call.
  return static_cast<T>(static_cast<T&&>(place));
}

}  // namespace kernelmill
