// The interface between compiled kernels and the executor (stages/cuda_executor/runtime): launches,
// shared memory, barriers and warp exchanges. A candidate's rewritten source and the other headers
// of this folder call it; no candidate includes it by name.
//
// One thread of the operating system runs a launch, block after block. The simulated threads of a
// block run one after the other on one stack until one of them blocks; threads that block become
// fibers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include <kernelmill/vector_types.h>

using cudaStream_t = struct CUstream_st*;

// The executor changes these while it switches threads. Within one simulated thread they never
// change, which is what `const` tells the optimiser.
#ifdef KERNELMILL_CUDA_MODE
#define KM_BUILT_IN extern __attribute__((device)) const
#else
#define KM_BUILT_IN extern const
#endif
KM_BUILT_IN uint3 threadIdx;
KM_BUILT_IN uint3 blockIdx;
KM_BUILT_IN dim3 blockDim;
KM_BUILT_IN dim3 gridDim;
KM_BUILT_IN int warpSize;

namespace kernelmill {

// A place in the candidate's sources.
struct Site {
  const char* file;
  int line;
};
// The folder with the folders of extensions, in which candidates' sources lie by what __FILE__ says
// to them. CudaToolchain defines it where they are compiled.
#ifndef KERNELMILL_SOURCES_ROOT
#define KERNELMILL_SOURCES_ROOT ""
#endif
// The path of a source without that folder and the extension's own. Each access of a kernel has such
// a path, so the compiler must find it: it does for these functions, and not for loops.
constexpr const char* NameInSources(const char* path) {
  constexpr std::size_t kRoot = sizeof(KERNELMILL_SOURCES_ROOT) - 1;
  if (kRoot == 0 || __builtin_strncmp(path, KERNELMILL_SOURCES_ROOT, kRoot) != 0) return path;
  const char* const slash = __builtin_strchr(path + kRoot, '/');
  return slash == nullptr ? path : slash + 1;
}
// Marks functions whose own accesses are not the candidate's.
#ifdef KERNELMILL_TRACE_ACCESSES
#define KM_UNWATCHED __attribute__((noinline, no_sanitize("coverage")))
#else
#define KM_UNWATCHED
#endif
#define KM_HERE                                                           \
  const char *km_file = ::kernelmill::NameInSources(__builtin_FILE()), \
             int km_line = __builtin_LINE()
#define KM_SITE \
  ::kernelmill::Site { km_file, km_line }
// The name of a kernel that a macro launches.
#define KM_NAME(...) #__VA_ARGS__

// In CUDA mode the compiler knows launches itself, and only the rewrite may call these.
#ifndef KERNELMILL_CUDA_MODE

// What a launch calls.
struct Callee {
  // The kernel's address, which tells its instantiations apart; null where only the arguments of
  // the launch choose among several functions.
  const void* function = nullptr;
  // Whether the kernel takes numbers too small to be normal for zero, as -ftz=true says, which
  // -use_fast_math includes.
  bool flushes = false;
};
struct CalleeOf {
  bool flushes;
  template <typename Result, typename... Parameters>
  Callee operator()(Result (*function)(Parameters...)) const {
    return {(const void*)function, flushes};
  }
};
// Redefined for candidates that ask for it, and whose text has it (extension_build.cc).
#define KM_FLUSHES false
#define KM_CALLEE(...)                                                                \
  ::kernelmill::CalleeIf(                                                             \
      [&](auto km_of) -> decltype(km_of(__VA_ARGS__)) { return km_of(__VA_ARGS__); }, \
      ::kernelmill::CalleeOf{KM_FLUSHES})
// Candidates' texts, in which the macro stands, may be C++17.
template <typename Find>
Callee CalleeIf(Find find, CalleeOf of) {
  if constexpr (std::is_invocable_v<Find, CalleeOf>) {
    return find(of);
  } else {
    return {nullptr, of.flushes};
  }
}

struct LaunchSpec {
  const char* kernel;
  Callee callee;
  Site site;
  dim3 grid, block;
  std::size_t shared;  // Bytes of dynamic shared memory.
  cudaStream_t stream = nullptr;
};
// Runs `thread(context)` for each thread of the grid. Sets the last error when the device would
// refuse the launch; throws std::runtime_error when the launch faults.
void RunLaunch(const LaunchSpec& spec, void (*thread)(void*), void* context);
// Whether launches are kept, to run again with other inputs (runtime/replay/replay.h), and keeps
// one: `drop(kept)` ends it, and `arguments` are its `count` arguments, where they lie now.
struct ArgumentBytes {
  const void* first;
  std::size_t size;
};
bool KeepsLaunches();
void KeepLaunch(const LaunchSpec& spec, void (*thread)(void*), void* kept, void (*drop)(void*),
                const ArgumentBytes* arguments, std::size_t count);

// The pointer that a kernel receives for its argument number `number`, counted from 0. Pointers to
// the host's stack and heap are replaced by inaccessible addresses.
void* ArgumentOfKernel(const void* pointer, std::size_t number);
// The same for a pointer to a function. Host code has the address of a device function only from a
// variable of the device; all other functions that it can name are the host's.
void* FunctionOfKernel(const void* function, std::size_t number);

// Parameters that are const and __restrict__ read what was there when the launch began
// (runtime/arguments_at_launch.h). The rewrite begins kernels with it.
extern bool reads_at_launch;
const void* ValuesAtLaunch(const void* pointer);
template <typename T>
T* AtLaunch(T* pointer) {
  return reads_at_launch ? static_cast<T*>(ValuesAtLaunch(pointer)) : pointer;
}
#define KM_AT_LAUNCH(name) name = ::kernelmill::AtLaunch(name);

// The rewrite of `kernel<<<grid, block, shared, stream>>>(arguments)`: arguments are evaluated once
// and copied into each thread's parameters, as in a launch.
template <typename Call>
class Launcher {
 public:
  Launcher(LaunchSpec spec, Call call) : spec_(spec), call_(std::move(call)) {}
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    [[maybe_unused]] std::size_t number = 0;
    (Admit(arguments, number++), ...);
    // A closure and not a std::tuple, which takes a quarter of a candidate's compile time.
    auto run = [call = call_, ... values = arguments] { call(values...); };
    using Run = decltype(run);
    const auto thread = [](void* context) { (*static_cast<const Run*>(context))(); };
    if (KeepsLaunches()) {
      const ArgumentBytes bytes[] = {{&arguments, sizeof(arguments)}..., {nullptr, 0}};
      KeepLaunch(
          spec_, thread, new Run(run), [](void* kept) { delete static_cast<Run*>(kept); }, bytes,
          sizeof...(arguments));
    }
    RunLaunch(spec_, thread, &run);
  }

 private:
  template <typename T>
  static void Admit(T& argument, std::size_t number) {
    if constexpr (__is_pointer(T) && __is_function(__remove_pointer(T))) {
      argument = (T)FunctionOfKernel((const void*)argument, number);
    } else if constexpr (__is_pointer(T)) {
      argument = (T)ArgumentOfKernel((const void*)argument, number);
    }
  }

  LaunchSpec spec_;
  Call call_;
};
// The configuration in the order of <<< >>>.
struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  Configuration(dim3 grid_size, dim3 block_size, std::size_t shared_bytes = 0,
                cudaStream_t on = nullptr)
      : grid(grid_size), block(block_size), shared(shared_bytes), stream(on) {}
};
template <typename Call>
Launcher<Call> Launch(const char* kernel, Callee callee, const Configuration& configuration,
                      Call call, KM_HERE) {
  return {{kernel, callee, KM_SITE, configuration.grid, configuration.block, configuration.shared,
           configuration.stream},
          std::move(call)};
}

#endif  // KERNELMILL_CUDA_MODE

// The storage of a `__shared__` variable in the running block. It is filled with values that no
// kernel expects (runtime/launch.cc).
extern std::uint64_t current_block;  // Counts all blocks that have run.
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
// The first value of a number that a device's function declares without one: what fresh shared
// memory is filled with.
extern std::uint64_t unset_bytes;
struct Unset {
  template <typename T>
  KM_UNWATCHED operator T() const {
    T value;
    __builtin_memcpy(&value, &unset_bytes, sizeof value);
    return value;
  }
};
// `extern __shared__`: the launch's dynamic shared memory.
void* DynamicShared();

// __syncthreads and its counting forms: how many threads arrived, and how many of them with a true
// predicate.
struct BarrierCount {
  int threads;
  int true_predicates;
};
BarrierCount BlockBarrier(bool predicate, Site site);

// Lanes of a warp, 128 at most.
using LaneMask = unsigned __int128;
inline constexpr int kMaxWarp = 128;
inline constexpr std::size_t kMaxExchange = 32;  // Bytes of one lane's value.

// Lanes meet where they call the same function, wherever in the kernel each of them does: that is what
// the CUDA guide asks for ("Warp Shuffle Functions"), and PTX, which names its qualifiers (shfl.sync).
enum class WarpOperation : unsigned char {
  kSync,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kVoteAll,
  kVoteAny,
  kVoteUni,
  kMatchAny,
  kMatchAll,
  kReduce,  // By any function.
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kMatrix,
};
// The values of the participating lanes. Valid until the calling thread blocks again.
struct WarpExchange {
  const unsigned char* values;  // kMaxExchange bytes per lane.
  LaneMask lanes;               // The participating lanes.
  int lane;                     // The calling lane.

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
// The lanes of the calling thread's warp that execute this call together: those that arrive here, by
// the same calls, before all other threads of the block wait for something. Lanes in two branches that
// call one function are not active together.
LaneMask ActiveLanes(Site site);
// Reports a shuffle from a lane that does not take part, whose result is undefined.
void NoteUndefinedShuffle(Site site);

// The calling thread's linear number in its block; x varies fastest.
inline unsigned ThreadRank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned ThreadCount() { return blockDim.x * blockDim.y * blockDim.z; }

// Ends the launch: for __trap(), a failed assert, or an unsupported feature.
[[noreturn]] void Trap(const char* kind, const char* message, Site site);
// Counts one step against the launch's budget and occasionally lets other threads of the block run.
// A thread that waits for another calls it in its loop.
void Step(Site site);
// Counts a round of a loop in which a thread may wait for another one.
inline void CountRound(KM_HERE) { Step(KM_SITE); }
// Ends the launch if a function that calls itself has been called so often that a device's stack
// has no room for it. `frame`: the place of its call on the thread's stack.
void NoteFrame(const void* frame, Site site);
#define KM_NOTE_FRAME()                               \
  ::kernelmill::NoteFrame(__builtin_frame_address(0), \
                          {::kernelmill::NameInSources(__builtin_FILE()), __builtin_LINE()})
// Counts the step of an atomic operation at `address`.
void StepOfAtomic(const void* address, Site site);
// Called behind it.
void StepBehindAtomic();
// Report a device-wide fence, a thread's atomic access, and a load through the read-only cache, in
// builds that trace accesses.
void Fence();
// What an atomic function does: it may change the memory, or what it is called with changes nothing
// (atomicAdd(p, 0)), so that it reads; it is atomic only among the threads of its block.
enum class AtomicKind : unsigned char { kUpdate, kRead, kOfBlock };
void OnAtomic(const void* address, std::size_t size, AtomicKind kind);
// Tells that an extension's text names volatile memory: which accesses are volatile is not known.
bool NoteVolatile();
void OnReadOnlyLoad(const void* address, std::size_t size, Site site);

// What the rewrite makes of variables declared with __device__, __constant__ or __managed__:
// references to memory of the device, which hold the initial values at first.
enum class VariableKind : unsigned char { kDevice, kConstant, kManaged };
void* PlaceVariable(const void* initial, std::size_t size, VariableKind kind);
template <typename T>
T& DeviceVariable(T& initial, VariableKind kind) {
  return *(T*)PlaceVariable((const void*)&initial, sizeof(T), kind);
}

// A clock of a device, in its cycles, which only goes forward.
std::uint64_t DeviceClock();
// The same time in nanoseconds since 1970.
std::uint64_t DeviceTime();
// Where a warp of the running block lies among those of its multiprocessor, which differs from one
// block and launch to the next.
unsigned WarpSlot(unsigned warp, unsigned slots);

}  // namespace kernelmill
