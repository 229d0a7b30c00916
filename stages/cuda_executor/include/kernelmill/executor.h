// What compiled kernels ask of the executor (stages/cuda_executor/runtime).
//
// One thread of the operating system runs a launch, block after block. The threads of a block run
// back to back on one stack until one of them blocks; from then on those that block are fibers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <kernelmill/vector_types.h>

// The executor changes these while it switches threads. Within one simulated thread they never
// change, which is what `const` tells the optimiser.
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern const int warpSize;

namespace kernelmill {

// A place in the candidate's sources.
struct Site {
  const char* file;
  int line;
};
// Functions whose own accesses are none of the candidate's.
#ifdef KERNELMILL_TRACE_ACCESSES
#define KM_UNWATCHED __attribute__((noinline, no_sanitize("coverage")))
#else
#define KM_UNWATCHED
#endif
#define KM_HERE const char *km_file = __builtin_FILE(), int km_line = __builtin_LINE()
#define KM_SITE \
  ::kernelmill::Site { km_file, km_line }
// The name of a kernel that a macro launches.
#define KM_NAME(...) #__VA_ARGS__

struct LaunchSpec {
  const char* kernel;
  Site site;
  dim3 grid, block;
  std::size_t shared;  // Bytes of dynamic shared memory.
};
// Runs `thread(context)` for each thread of the grid. Sets the last error when the device would
// refuse the launch; throws std::runtime_error when the launch faults.
void RunLaunch(const LaunchSpec& spec, void (*thread)(void*), void* context);

// What a kernel gets for a pointer that is its argument number `number`, counted from 0: pointers
// to the host's own stack and heap lead nowhere there.
void* ArgumentOfKernel(const void* pointer, std::size_t number);

// What `kernel<<<grid, block, shared, stream>>>(arguments)` becomes: arguments are evaluated once
// and copied into each thread's parameters, as a launch does.
template <typename Call>
class Launcher {
 public:
  Launcher(LaunchSpec spec, Call call) : spec_(spec), call_(std::move(call)) {}
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    [[maybe_unused]] std::size_t number = 0;
    (Admit(arguments, number++), ...);
    auto thread = [&] { call_(arguments...); };
    RunLaunch(spec_, [](void* context) { (*static_cast<decltype(thread)*>(context))(); }, &thread);
  }

 private:
  template <typename T>
  static void Admit(T& argument, std::size_t number) {
    if constexpr (__is_pointer(T) && !__is_function(__remove_pointer(T))) {
      argument = (T)ArgumentOfKernel((const void*)argument, number);
    }
  }

  LaunchSpec spec_;
  Call call_;
};
// The configuration in the order of <<< >>>. A stream changes nothing: launches run at once.
struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  Configuration(dim3 grid_size, dim3 block_size, std::size_t shared_bytes = 0,
                const void* /*stream*/ = nullptr)
      : grid(grid_size), block(block_size), shared(shared_bytes) {}
};
template <typename Call>
Launcher<Call> Launch(const char* kernel, const Configuration& configuration, Call call, KM_HERE) {
  return {{kernel, KM_SITE, configuration.grid, configuration.block, configuration.shared},
          std::move(call)};
}

// The storage of a `__shared__` variable in the block that runs now, filled with what is no value
// that a kernel expects (runtime/launch.cc).
extern std::uint64_t current_block;  // Counts all blocks that ever ran.
void* AllocateShared(std::size_t size, std::size_t alignment, Site site);
class SharedSlot {
 public:
  template <typename T>
  KM_UNWATCHED T* Get(KM_HERE) {
    if (block_ != current_block) [[unlikely]] {
      storage_ = AllocateShared(sizeof(T), alignof(T), KM_SITE);
      block_ = current_block;
    }
    return static_cast<T*>(storage_);
  }

 private:
  std::uint64_t block_ = 0;
  void* storage_ = nullptr;
};
// `extern __shared__`: the launch's dynamic shared memory.
void* DynamicShared();

// __syncthreads and its counting forms: how many threads came, and how many with a true predicate.
struct BarrierCount {
  int threads;
  int true_predicates;
};
BarrierCount BlockBarrier(bool predicate, Site site);

// Lanes of a warp, 128 at most.
using LaneMask = unsigned __int128;
inline constexpr int kMaxWarp = 128;
inline constexpr std::size_t kMaxExchange = 32;  // Bytes of a lane's value.

enum class WarpOperation : unsigned char { kSync, kShuffle, kVote, kMatch, kReduce };
// What the lanes that took part gave. Valid until the calling thread blocks again.
struct WarpExchange {
  const unsigned char* values;  // kMaxExchange bytes a lane.
  LaneMask lanes;               // That took part.
  int lane;                     // The calling one.

  bool Has(int other) const { return other >= 0 && other < kMaxWarp && ((lanes >> other) & 1); }
  template <typename T>
  T Value(int other) const {
    T value;
    std::memcpy(&value, values + static_cast<std::size_t>(other) * kMaxExchange, sizeof(T));
    return value;
  }
};
// Waits until every lane of `mask` that has not exited has called this with the same mask and
// operation. A `mask` of 32 ones means the whole warp, however wide.
WarpExchange ExchangeInWarp(WarpOperation operation, LaneMask mask, const void* value,
                            std::size_t size, Site site);
// The lanes of the calling thread's warp that run this call together: those that come to it before
// all others of the block wait for something.
LaneMask ActiveLanes(Site site);
// A shuffle from a lane that takes no part has no defined result.
void NoteUndefinedShuffle(Site site);

// The calling thread's number in its block, x fastest.
inline unsigned ThreadRank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned ThreadCount() { return blockDim.x * blockDim.y * blockDim.z; }

// Ends the launch: __trap(), a failed assert, what the executor does not have.
[[noreturn]] void Trap(const char* kind, const char* message, Site site);
// Counts one step against the launch's budget and, now and then, lets other threads of the block
// run: what a thread that waits for another calls in a loop.
void Step(Site site);
// The step of an atomic operation at `address`.
void StepOfAtomic(const void* address, Site site);
// A fence over the device; a thread's atomic access, in builds that trace accesses.
void Fence();
void OnAtomic(const void* address, std::size_t size);
// Where the variables with __constant__ of a library lie, in builds that count.
void NoteConstants(const char* first, const char* last);
// Steps of the launch so far: a clock that is the same on every machine.
std::uint64_t StepCount();

}  // namespace kernelmill

#ifdef KERNELMILL_COUNT_ACCESSES
extern "C" {
// Set by the linker, null where a library has none.
extern const char __start_km_constant[] __attribute__((weak, visibility("hidden")));
extern const char __stop_km_constant[] __attribute__((weak, visibility("hidden")));
}
namespace kernelmill {
inline const bool constants_noted = (NoteConstants(__start_km_constant, __stop_km_constant), true);
}  // namespace kernelmill
#endif
