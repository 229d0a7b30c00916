// Implements, for kernels that run on the executor, loads and stores with cache hints (__ldg,
// __stcg …), conversions between generic and other addresses (__cvta_…), and clocks.
#pragma once

#include <kernelmill/access/aligned_access.h>
#include <kernelmill/state_spaces.h>
#include <kernelmill/access/whole_access.h>

#define KM_LOAD(name)                               \
  template <typename T>                             \
  T name(const T* address, KM_HERE) {               \
    ::kernelmill::RequireAligned(address, KM_SITE); \
    return KM_READ_WHOLE(*address);                 \
  }
// Loads through the read-only cache, which does not see what the launch writes.
template <typename T>
T __ldg(const T* address, KM_HERE) {
  ::kernelmill::RequireAligned(address, KM_SITE);
#ifdef KERNELMILL_TRACE_ACCESSES
  ::kernelmill::OnReadOnlyLoad(address, sizeof(T), KM_SITE);
#endif
  return KM_READ_WHOLE(*address);
}
KM_LOAD(__ldca)
KM_LOAD(__ldcg)
KM_LOAD(__ldcs)
KM_LOAD(__ldlu)
KM_LOAD(__ldcv)
#undef KM_LOAD
#define KM_STORE(name)                                            \
  template <typename T>                                           \
  void name(T* address, std::type_identity_t<T> value, KM_HERE) { \
    ::kernelmill::RequireAligned(address, KM_SITE);               \
    *address = value;                                             \
  }
KM_STORE(__stwb)
KM_STORE(__stcg)
KM_STORE(__stcs)
KM_STORE(__stwt)
#undef KM_STORE

inline std::size_t __cvta_generic_to_shared(const void* address) {
  return kernelmill::SharedAddress(address);
}
inline std::size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
inline void* __cvta_shared_to_generic(std::size_t address, KM_HERE) {
  return kernelmill::SharedPointer(address, 1, KM_SITE);
}
inline void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}

inline long long clock64() { return static_cast<long long>(kernelmill::DeviceClock()); }
inline unsigned long long __globaltimer() { return kernelmill::DeviceTime(); }
