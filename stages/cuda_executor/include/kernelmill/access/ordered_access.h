// Atomic accesses with an order and a scope, for inline PTX and for libcu++'s atomics. Only one
// thread runs at a time, so an order matters to the race detector alone: what releases is a fence
// of its scope before an atomic access (PTX ISA, "Release and Acquire Patterns").
#pragma once

#include <kernelmill/atomics.h>
#include <kernelmill/warp.h>

namespace kernelmill {

enum class AccessOrder : unsigned char { kRelaxed, kAcquire, kRelease, kBoth };
enum class AccessScope : unsigned char { kThread, kBlock, kDevice, kSystem };

inline void FenceIn(AccessScope scope) {
  if (scope == AccessScope::kBlock) __threadfence_block();
  if (scope == AccessScope::kDevice) __threadfence();
  if (scope == AccessScope::kSystem) __threadfence_system();
}
inline void BeforeOrdered(AccessOrder order, AccessScope scope) {
  if (order == AccessOrder::kRelease || order == AccessOrder::kBoth) FenceIn(scope);
}

// The result is what was there before. `update` may be called more than once.
template <typename T, typename Update>
__attribute__((always_inline)) inline T OrderedUpdate(T* address, Update update, AccessOrder order,
                                                      AccessScope scope, Site site) {
  BeforeOrdered(order, scope);
  return AtomicUpdate(address, update, site);
}
template <typename T>
__attribute__((always_inline)) inline T OrderedLoad(const T* address, AccessOrder order,
                                                    AccessScope scope, Site site) {
  return OrderedUpdate(
      const_cast<T*>(address), [](T value) { return value; }, order, scope, site);
}
template <typename T>
__attribute__((always_inline)) inline void OrderedStore(T* address, T value, AccessOrder order,
                                                        AccessScope scope, Site site) {
  OrderedUpdate(
      address, [value](T) { return value; }, order, scope, site);
}

}  // namespace kernelmill
