// Makes the read or write of a structure in a kernel one access. A device moves a structure of
// suitable size and alignment with one instruction, whereas the compiler for the CPU would access
// each used member separately. The rewrite (parsers/cuda_rewrite.h) wraps reads and writes in
// Loaded() and Stored() in builds that count accesses, and reads in KM_READ_WHOLE() in those that
// check memory: a device reads the members that are not used, too. Constant evaluation makes no
// access.
#pragma once

#if defined(KERNELMILL_COUNT_ACCESSES) || __has_feature(address_sanitizer)

#include <kernelmill/vector_types.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace kernelmill {

// Structures that are moved whole. In builds that count accesses, float4 and similar types copy
// themselves whole (vector_types.h).
template <typename T>
concept MovedWhole = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                     std::is_trivially_default_constructible_v<T> && !std::is_volatile_v<T> &&
                     alignof(T) >= std::min<std::size_t>(sizeof(T), 16);

}  // namespace kernelmill

#endif

#if __has_feature(address_sanitizer)

namespace kernelmill {

// Reads all bytes, in parts of at most 16, and the compiler may leave none out.
template <typename T>
__attribute__((always_inline)) inline void ReadBytes(const T* place) {
  constexpr std::size_t kPart = std::min<std::size_t>(sizeof(T), 16);
  using Part = unsigned char __attribute__((vector_size(kPart)));
  const auto* const parts = reinterpret_cast<const volatile Part*>(place);
  for (std::size_t i = 0; i < sizeof(T) / kPart; ++i) static_cast<void>(parts[i]);
}

template <typename Place>
inline constexpr bool kReadWhole =
    std::is_lvalue_reference_v<Place> && MovedWhole<std::remove_cvref_t<Place>>;

template <typename T>
__attribute__((always_inline)) constexpr decltype(auto) ReadWhole(T&& place) {
  if constexpr (kReadWhole<T&&>) {
    if (!std::is_constant_evaluated()) ReadBytes(__builtin_addressof(place));
    return std::remove_cvref_t<T>(place);
  } else {
    return static_cast<T>(static_cast<T&&>(place));
  }
}

}  // namespace kernelmill

// Other places stay as they are, so that the compiler's check of an index sees that they are read.
#define KM_READ_WHOLE(...)                                                                  \
  (::kernelmill::kReadWhole<decltype((__VA_ARGS__))> ? ::kernelmill::ReadWhole(__VA_ARGS__) \
                                                     : __VA_ARGS__)

#else

#define KM_READ_WHOLE(...) (__VA_ARGS__)

#endif

#ifdef KERNELMILL_COUNT_ACCESSES

namespace kernelmill {

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
