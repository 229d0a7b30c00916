// Makes the read or write of a structure in a kernel count as one access, in builds that count
// accesses. The rewrite (parsers/cuda_rewrite.h) wraps reads and writes in Loaded() and Stored(). A
// device moves a structure of suitable size and alignment with one instruction, whereas the
// compiler for the CPU would access each used member separately. Constant evaluation makes no
// access.
#pragma once

#ifdef KERNELMILL_COUNT_ACCESSES

#include <kernelmill/vector_types.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace kernelmill {

// Structures that are moved whole. float4 and similar types copy themselves whole (vector_types.h).
template <typename T>
concept MovedWhole = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                     std::is_trivially_default_constructible_v<T> && !std::is_volatile_v<T> &&
                     alignof(T) >= std::min<std::size_t>(sizeof(T), 16);

template <typename T>
struct StoredWhole {
  T* place;
  StoredWhole& operator=(const StoredWhole&) = delete;
  __attribute__((always_inline)) constexpr void operator=(const T& value) const {
    if (std::is_constant_evaluated()) {
      *place = value;
    } else {
      CopyWhole(place, &value, sizeof(T));
    }
  }
};

// `place` is an lvalue, or a value that an operator of a class returned, which is passed on
// unchanged.
template <typename T>
__attribute__((always_inline)) constexpr decltype(auto) Loaded(T&& place) {
  using Value = std::remove_cvref_t<T>;
  if constexpr (std::is_lvalue_reference_v<T> && MovedWhole<Value>) {
    if (std::is_constant_evaluated()) return Value(place);
    Value value;
    CopyWhole(&value, &place, sizeof(Value));
    return value;
  } else if constexpr (std::is_lvalue_reference_v<T>) {
    return static_cast<T>(place);
  } else {
    return static_cast<Value>(static_cast<T&&>(place));
  }
}

template <typename T>
__attribute__((always_inline)) constexpr decltype(auto) Stored(T&& place) {
  if constexpr (std::is_lvalue_reference_v<T> && MovedWhole<std::remove_reference_t<T>>) {
    return StoredWhole<std::remove_reference_t<T>>{&place};
  } else {
    return static_cast<T&&>(place);
  }
}

}  // namespace kernelmill

#endif
