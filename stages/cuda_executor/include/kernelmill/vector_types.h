// Defines CUDA's vector types char1 … double4 and dim3 for candidates that the executor runs, with
// the same sizes and alignments (Programming Guide, "Built-in Vector Types").
#pragma once

namespace kernelmill {
// Copies up to 16 bytes per access, like one instruction of a device. The compiler for the CPU
// would make one access per component.
void CopyWhole(void* to, const void* from, decltype(sizeof 0) size);
}  // namespace kernelmill

// Copies of types with two and four components, in builds that count accesses.
#ifdef KERNELMILL_COUNT_ACCESSES
#define KM_COPIED_WHOLE(name)                                         \
  name() = default;                                                   \
  __attribute__((always_inline)) name(const name& other) {            \
    ::kernelmill::CopyWhole(this, &other, sizeof(name));              \
  }                                                                   \
  __attribute__((always_inline)) name& operator=(const name& other) { \
    ::kernelmill::CopyWhole(this, &other, sizeof(name));              \
    return *this;                                                     \
  }
#define KM_WHOLE_PAIR(name, type)                                             \
  constexpr name(type x_value, type y_value = {}) : x(x_value), y(y_value) {} \
  KM_COPIED_WHOLE(name)
#define KM_WHOLE_FOUR(name, type)                                                       \
  constexpr name(type x_value, type y_value = {}, type z_value = {}, type w_value = {}) \
      : x(x_value), y(y_value), z(z_value), w(w_value) {}                               \
  KM_COPIED_WHOLE(name)
#else
#define KM_WHOLE_PAIR(name, type)
#define KM_WHOLE_FOUR(name, type)
#endif

#define KM_VECTOR_TYPES(name, type, align2, align4)                              \
  struct name##1 { type x; };                                                    \
  struct alignas(align2) name##2 {                                               \
    type x, y;                                                                   \
    KM_WHOLE_PAIR(name##2, type)                                                 \
  };                                                                             \
  struct name##3 { type x, y, z; };                                              \
  struct alignas(align4) name##4 {                                               \
    type x, y, z, w;                                                             \
    KM_WHOLE_FOUR(name##4, type)                                                 \
  };                                                                             \
  constexpr name##1 make_##name##1(type x) { return {x}; }                       \
  constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
KM_VECTOR_TYPES(char, signed char, 2, 4)
KM_VECTOR_TYPES(uchar, unsigned char, 2, 4)
KM_VECTOR_TYPES(short, short, 4, 8)
KM_VECTOR_TYPES(ushort, unsigned short, 4, 8)
KM_VECTOR_TYPES(int, int, 8, 16)
KM_VECTOR_TYPES(uint, unsigned int, 8, 16)
KM_VECTOR_TYPES(long, long, 16, 16)
KM_VECTOR_TYPES(ulong, unsigned long, 16, 16)
KM_VECTOR_TYPES(longlong, long long, 16, 16)
KM_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
KM_VECTOR_TYPES(float, float, 8, 16)
KM_VECTOR_TYPES(double, double, 16, 16)
#undef KM_VECTOR_TYPES

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_size = 1, unsigned int y_size = 1, unsigned int z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
  constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
