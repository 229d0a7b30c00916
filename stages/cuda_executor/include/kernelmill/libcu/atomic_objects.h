// Implements libcu++'s atomics for kernels that run on the executor. A candidate gets it where it
// includes cuda/atomic or cuda/std/atomic.
#pragma once

#include <atomic>

#include <kernelmill/functional.h>
#include <kernelmill/access/ordered_access.h>

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

namespace detail {

constexpr kernelmill::AccessScope ScopeOf(thread_scope scope) {
  return scope == thread_scope_thread   ? kernelmill::AccessScope::kThread
         : scope == thread_scope_block  ? kernelmill::AccessScope::kBlock
         : scope == thread_scope_device ? kernelmill::AccessScope::kDevice
                                        : kernelmill::AccessScope::kSystem;
}
constexpr kernelmill::AccessOrder OrderOf(memory_order order) {
  switch (order) {
    case memory_order_relaxed:
      return kernelmill::AccessOrder::kRelaxed;
    case memory_order_consume:
    case memory_order_acquire:
      return kernelmill::AccessOrder::kAcquire;
    case memory_order_release:
      return kernelmill::AccessOrder::kRelease;
    default:
      return kernelmill::AccessOrder::kBoth;
  }
}

// The operations on an atomic value at an address. `Self` has Address().
template <typename Self, typename T, thread_scope kScope>
class Operations {
#define KM_ORDERED memory_order order = memory_order_seq_cst, KM_HERE
 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;
  bool is_lock_free() const { return is_always_lock_free; }

  T load(KM_ORDERED) const {
    return kernelmill::OrderedLoad(Address(), OrderOf(order), ScopeOf(kScope), KM_SITE);
  }
  void store(T value, KM_ORDERED) const {
    kernelmill::OrderedStore(Address(), value, OrderOf(order), ScopeOf(kScope), KM_SITE);
  }
  operator T() const { return load(); }
  T exchange(T value, KM_ORDERED) const {
    return Update([value](T) { return value; }, order, KM_SITE);
  }
  bool compare_exchange_strong(T& expected, T value, KM_ORDERED) const {
    const T wanted = expected;
    const T before = Update(
        [wanted, value](T old) {
          return __builtin_memcmp(&old, &wanted, sizeof(T)) == 0 ? value : old;
        },
        order, KM_SITE);
    if (__builtin_memcmp(&before, &wanted, sizeof(T)) == 0) return true;
    expected = before;
    return false;
  }
  bool compare_exchange_strong(T& expected, T value, memory_order success, memory_order,
                               KM_HERE) const {
    return compare_exchange_strong(expected, value, success, km_file, km_line);
  }
  bool compare_exchange_weak(T& expected, T value, KM_ORDERED) const {
    return compare_exchange_strong(expected, value, order, km_file, km_line);
  }
  bool compare_exchange_weak(T& expected, T value, memory_order success, memory_order,
                             KM_HERE) const {
    return compare_exchange_strong(expected, value, success, km_file, km_line);
  }
  T fetch_add(T value, KM_ORDERED) const {
    const T* const place = Address();
    return Update([=](T old) { return kernelmill::AtomicSum(place, old, value); }, order, KM_SITE);
  }
#define KM_FETCH(name, expression)                                                        \
  T name(T value, KM_ORDERED) const {                                                     \
    return Update([value](T old) { return static_cast<T>(expression); }, order, KM_SITE); \
  }
  KM_FETCH(fetch_min, value < old ? value : old)
  KM_FETCH(fetch_max, old < value ? value : old)
  KM_FETCH(fetch_and, old& value)
  KM_FETCH(fetch_or, old | value)
  KM_FETCH(fetch_xor, old ^ value)
#undef KM_FETCH
  T fetch_sub(T value, KM_ORDERED) const {
    if constexpr (std::is_floating_point_v<T>) {  // A device only adds these.
      return fetch_add(-value, order, km_file, km_line);
    } else {
      return Update([value](T old) { return static_cast<T>(old - value); }, order, KM_SITE);
    }
  }
  T operator++(int) const { return fetch_add(T(1)); }
  T operator--(int) const { return fetch_sub(T(1)); }
  T operator++() const { return static_cast<T>(fetch_add(T(1)) + T(1)); }
  T operator--() const { return static_cast<T>(fetch_sub(T(1)) - T(1)); }
  T operator+=(T value) const { return static_cast<T>(fetch_add(value) + value); }
  T operator-=(T value) const { return static_cast<T>(fetch_sub(value) - value); }
  T operator&=(T value) const { return static_cast<T>(fetch_and(value) & value); }
  T operator|=(T value) const { return static_cast<T>(fetch_or(value) | value); }
  T operator^=(T value) const { return static_cast<T>(fetch_xor(value) ^ value); }

  void wait(T old, KM_ORDERED) const {
    for (T now = load(order, km_file, km_line); __builtin_memcmp(&now, &old, sizeof(T)) == 0;) {
      now = load(order, km_file, km_line);
    }
  }
  void notify_one() const {}
  void notify_all() const {}

 private:
  T* Address() const { return static_cast<const Self*>(this)->Address(); }
  template <typename Change>
  T Update(Change change, memory_order order, kernelmill::Site site) const {
    return kernelmill::OrderedUpdate(Address(), change, OrderOf(order), ScopeOf(kScope), site);
  }
#undef KM_ORDERED
};

}  // namespace detail

template <typename T, thread_scope kScope = thread_scope_system>
class atomic : public detail::Operations<atomic<T, kScope>, T, kScope> {
 public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  T operator=(T value) {
    this->store(value);
    return value;
  }

 private:
  friend class detail::Operations<atomic, T, kScope>;
  T* Address() const { return const_cast<T*>(&value_); }
  T value_;
};
template <typename T, thread_scope kScope = thread_scope_system>
class atomic_ref : public detail::Operations<atomic_ref<T, kScope>, T, kScope> {
 public:
  explicit atomic_ref(T& value) : address_(&value) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  T operator=(T value) const {
    this->store(value);
    return value;
  }

 private:
  friend class detail::Operations<atomic_ref, T, kScope>;
  T* Address() const { return address_; }
  T* address_;
};

inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order != memory_order_relaxed) kernelmill::FenceIn(detail::ScopeOf(scope));
}

namespace std {
template <typename T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <typename T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
inline void atomic_thread_fence(memory_order order) { ::cuda::atomic_thread_fence(order); }
}  // namespace std

}  // namespace cuda
