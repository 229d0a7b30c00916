// Runs launches: refuses those that a device would refuse, orders the blocks, and turns signals into
// faults.
#include <signal.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <kernelmill/runtime_api.h>
#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/access_counter.h"
#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/arguments_at_launch.h"
#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/blocks/block_turns.h"
#include "stages/cuda_executor/runtime/built_in_variables.h"
#include "stages/cuda_executor/runtime/device/device_properties.h"
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/launch_sample.h"
#include "stages/cuda_executor/runtime/line_table.h"
#include "stages/cuda_executor/runtime/memory_checks.h"
#include "stages/cuda_executor/runtime/plausible_values.h"
#include "stages/cuda_executor/runtime/replay/held_copies.h"
#include "stages/cuda_executor/runtime/shared_memory/block_memory.h"

namespace kernelmill {

uint3 current_thread_index, current_block_index, current_block_size, current_grid_size;
int current_warp_width = 32;
std::uint64_t current_block = 0;
std::uint64_t unset_bytes = ~std::uint64_t{0};

namespace {

// Why the driver would refuse the launch; empty if it would run it.
std::string Refusal(const LaunchSpec& spec) {
  const dim3 &grid = spec.grid, &block = spec.block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0) {
    return "a grid or a block of size zero; for an empty tensor nothing is to be launched";
  }
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024) {
    return std::to_string(threads) + " threads a block; 1024 are allowed";
  }
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
    return "a grid beyond (2147483647, 65535, 65535)";
  }
  if (const std::size_t limit = DynamicSharedLimit(spec.callee); spec.shared > limit) {
    return std::to_string(spec.shared) + " bytes of dynamic shared memory; " +
           std::to_string(limit) + " are allowed for this kernel";
  }
  return {};
}

// Visits every number below `count` once: in ascending order for seed 0, otherwise with a step that
// is coprime to `count`.
class BlockOrder {
 public:
  BlockOrder(std::uint64_t count, std::uint64_t seed) : count_(count) {
    if (seed == 0) return;
    at_ = seed * 0x9e3779b97f4a7c15 % count;
    step_ = seed * 0xbf58476d1ce4e5b9 % count;
    while (std::gcd(step_, count) != 1) step_ = (step_ + 1) % count;
  }
  std::uint64_t Next() {
    const std::uint64_t next = at_;
    at_ = (at_ + step_) % count_;
    return next;
  }

 private:
  std::uint64_t count_, at_ = 0, step_ = 1;
};

const Site* running_launch = nullptr;
bool global_atomics = false;  // Whether the running launch has used a global atomic.

// The instruction at which a signal was raised.
const unsigned char* Instruction(void* context) {
  return reinterpret_cast<const unsigned char*>(
      static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

// An access so many bytes from all memory comes from an index that has left its type: one that is
// wrong by some rows stays nearer, and a pointer that was never set lies farther away.
constexpr std::uint64_t kFar = std::uint64_t{256} << 20;
constexpr std::uint64_t kOverflown = std::uint64_t{64} << 30;

// The bytes between an address and the nearest allocation.
std::uint64_t DistanceFromMemory(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::uint64_t distance = ~std::uint64_t{0};
  ForEachAllocation([&](const AllocatedMemory& memory, const MemoryState&) {
    const auto first = reinterpret_cast<std::uintptr_t>(memory.first), end = first + memory.size;
    distance = std::min<std::uint64_t>(distance, at < first ? first - at : at < end ? 0 : at - end);
  });
  return distance;
}

Fault FaultOf(int signal, siginfo_t* info) {
  if (signal == SIGILL) {  // __trap() is a function call here, so this instruction was inserted by
                           // the compiler.
    return {"undefined_behaviour", "impossible_code",
            "the kernel does what can have no result: it uses a null pointer, or a function that "
            "returns a value ends without one",
            "", 0};
  }
  if (signal == SIGFPE) {
    return {"undefined_behaviour", "integer_division", "an integer is divided by zero", "", 0};
  }
  if (signal == SIGSEGV && info->si_code == SI_KERNEL) {
    // The processor reports no address: a vector instruction accessed a misaligned one.
    return {"undefined_behaviour", "misaligned_address",
            "misaligned address: a thread copies a structure at an address that is no multiple of "
            "its alignment",
            "", 0};
  }
  if (CurrentBlock().IsStackGuard(info->si_addr)) {
    return {"crashed", "stack_overflow",
            "a thread needs more than " + std::to_string(Block::kStackSize >> 10) +
                " KiB for its local variables",
            "", 0};
  }
  char address[32];
  std::snprintf(address, sizeof address, "%p", info->si_addr);
  const std::string accesses = "a thread accesses " + std::string(address);
  const std::uint64_t distance = DistanceFromMemory(info->si_addr);
  if (distance < kFar || distance > kOverflown) {
    return {"illegal_address", "bad_pointer", accesses + ", where nothing is", "", 0};
  }
  return {"illegal_address", "far_pointer",
          accesses + ", " + std::to_string(distance >> 20) + " MiB from the nearest memory", "", 0};
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  Block& block = CurrentBlock();
  AccessDecision access;
  if (signal == SIGSEGV) access = DecideAccess(*info, context);
  if (access.go_on) return;
  if (!block.running()) {
    ::signal(signal, SIG_DFL);
    return;  // The instruction is retried, and ends the process.
  }
  const bool wrong_space = access.fault.has_value();
  Fault fault = wrong_space ? *std::move(access.fault) : FaultOf(signal, info);
  const SourceLine line = LineOf(Instruction(context));
  fault.file = line.file;
  fault.line = line.line;
  if (wrong_space && line.line == 0) {
    fault.file = running_launch->file;
    fault.line = running_launch->line;
  }
  block.Abandon(std::move(fault));
}

// Turns signals that a kernel raises into faults during its lifetime.
class SignalGuard {
 public:
  SignalGuard() {
    static char* const stack = static_cast<char*>(std::malloc(kStack));
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = kStack;
    sigaltstack(&alternative, &old_stack_);
    struct sigaction action{};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], &action, &old_actions_[i]);
    }
  }
  ~SignalGuard() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], &old_actions_[i], nullptr);
    }
    sigaltstack(&old_stack_, nullptr);
  }

 private:
  static constexpr std::size_t kStack = 256 << 10;
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  stack_t old_stack_{};
  struct sigaction old_actions_[std::size(kSignals)];
};

// Runs all blocks, or those of the sample, and completes the record of the launch. Returns false
// after a fault.
bool RunBlocks(const LaunchSpec& spec, LaunchRecord* record) {
  const std::optional<LaunchSample>& sample = Options().sample;
  const std::uint64_t count = std::uint64_t{spec.grid.x} * spec.grid.y * spec.grid.z;
  std::optional<SampledBlocks> sampled;
  if (sample) {
    sampled.emplace(*sample, Log().launch_count(), count,
                    std::uint64_t{spec.block.x} * spec.block.y * spec.block.z);
    sampled->Begin();
  }
  global_atomics = false;
  Shared().dynamic = spec.shared;
  Shared().limit = DynamicSharedLimit(spec.callee);
  running_launch = &spec.site;
  const SignalGuard guard;
  const RunningScope kernel(Running::kKernel);
  BlockOrder order(count, Options().seed);
  const auto next = [&] { return sampled ? sampled->Next() : order.Next(); };
  if (!TheTurns().Run(sampled ? sampled->runs() : count, sampled.has_value(), next)) return false;
  record->blocks_run = count;
  if (sampled) {
    sampled->End();
    record->blocks_run = sampled->blocks();
    record->first_block_items = sampled->first_block_items();
    record->items = sampled->items();
    record->items_before = sampled->items_before();
    record->left_pages = sampled->left_pages();
  }
  record->global_atomics = global_atomics;
  Allow(Shared().base, kSharedArena);
  return true;
}

}  // namespace

void RunLaunch(const LaunchSpec& spec, void (*thread)(void*), void* context) {
  if (CurrentBlock().running()) {
    Trap("unsupported", "a kernel launches a kernel (dynamic parallelism)", spec.site);
  }
  struct Ended {
    ~Ended() { TheArguments().End(); }
  } ended;
  if (const std::string refusal = Refusal(spec); !refusal.empty()) {
    Device().last_error = cudaErrorInvalidConfiguration;
    if (spec.shared > DynamicSharedLimit(spec.callee)) {
      Device().last_error = cudaErrorInvalidValue;
    }
    Log().SetFault({"crashed", "launch_limit",
                    "the device refuses the launch of " + std::string(spec.kernel) + ": " + refusal,
                    spec.site.file, spec.site.line});
    return;
  }
  LaunchRecord record{
      spec.kernel, spec.site.file, spec.site.line, spec.grid, spec.block, spec.shared, 0, {}};
  if (!Options().run_kernels) {
    Log().Add(record);
    return;
  }
  current_block_size = spec.block;
  current_grid_size = spec.grid;
  FillFresh(&unset_bytes, sizeof unset_bytes);
  TheTurns().Prepare(spec, thread, context);
  const ShownCopies shown;
  TheArguments().Begin(!Options().sample && Observer() == nullptr && kRedZone == 0);
  const bool done = RunBlocks(spec, &record);
  if (Observer() != nullptr) Observer()->EndLaunch();
  record.steps = TheTurns().steps();
  record.counts = CountsOfLaunch();
  Log().Add(std::move(record));
  if (done) return;
  Device().last_error = cudaErrorLaunchFailure;
  throw std::runtime_error("CUDA error: " + Log().fault()->message + " (kernel " + spec.kernel +
                           ", launched at " + spec.site.file + ":" +
                           std::to_string(spec.site.line) + ")");
}

Site SiteOfLaunch() { return *running_launch; }

BarrierCount BlockBarrier(bool predicate, Site site) {
  return CurrentBlock().Barrier(predicate, site);
}
WarpExchange ExchangeInWarp(WarpOperation operation, LaneMask mask, const void* value,
                            std::size_t size, Site site) {
  return CurrentBlock().Exchange(operation, mask, value, size, site);
}
LaneMask ActiveLanes(Site site) { return CurrentBlock().ActiveLanes(site); }
void NoteUndefinedShuffle(Site site) {
  Log().AddFinding({"undefined_behaviour", "shuffle_from_absent_lane",
                    "a thread reads the value of a lane that takes no part in the shuffle",
                    site.file, site.line});
}
void Trap(const char* kind, const char* message, Site site) {
  if (!CurrentBlock().running()) {
    throw std::runtime_error(std::string(message) + " (" + site.file + ":" +
                             std::to_string(site.line) + ")");
  }
  const bool unsupported = std::string_view(kind) == "unsupported";
  CurrentBlock().Abandon(
      {unsupported ? "unsupported" : "crashed", kind, message, site.file, site.line});
}
void Step(Site site) {
  if (CurrentBlock().running() && CurrentBlock().CountStep(site)) TheTurns().LetOtherRun(true);
}
void StepOfAtomic(const void* address, Site site) {
  const bool global = !IsShared(address);
  global_atomics = global_atomics || global;
  Step(site);
  if (!CurrentBlock().running()) return;
  CurrentBlock().LetOthersRun();
  if (global) TheTurns().LetOtherRun(false);
}
void NoteFrame(const void* frame, Site site) {
  constexpr bool kChecksMemory = kRedZone > 0;  // Calls take more then.
  if (!CurrentBlock().running() || kChecksMemory || Observer() != nullptr) return;
  // Calls take about as much on the processor. The first ones are the launch's own.
  constexpr std::size_t kOwn = 1 << 10;
  const std::size_t limit = Device().stack, depth = CurrentBlock().DepthOf(frame);
  if (depth <= limit + kOwn) return;
  CurrentBlock().Abandon({"crashed", "stack_overflow",
                          "a function calls itself so often that a thread needs about " +
                              std::to_string(depth) + " bytes of stack; a device has " +
                              std::to_string(limit) +
                              ", unless cudaDeviceSetLimit(cudaLimitStackSize, …) says more",
                          site.file, site.line});
}
void StepBehindAtomic() { CurrentBlock().TakeTurns(); }
void Fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (Observer() != nullptr) CurrentBlock().OnFence();
}
std::uint64_t DeviceClock() {
  // How much time passes on a device between two readings is unknown, so it differs from one order
  // of threads to the next: a result that depends on it does too. Work between them takes time as
  // well. A device has run for a while when a process begins; the seed of the first reading says
  // how long.
  constexpr std::uint64_t kTicks[] = {2, 100, 5'000, 1'000'000};
  static std::uint64_t ticks = MixedBits(Options().seed + 1) % (std::uint64_t{1} << 52);
  // Steps that differ, so that readings have no remainder in common.
  const std::uint64_t most = kTicks[Options().seed % std::size(kTicks)];
  static std::uint64_t before = __rdtsc();
  const std::uint64_t now = __rdtsc(), passed = now - std::exchange(before, now);
  return ticks += most + MixedBits(ticks) % most + passed;
}
std::uint64_t DeviceTime() {
  // The device has begun to count at some time in five years.
  constexpr std::uint64_t kFirst = 1'735'689'600'000'000'000, kYears = 157'680'000'000'000'000;
  constexpr std::uint64_t kStep = 32;  // A device's counter goes on by so many nanoseconds.
  static const std::uint64_t begun = kFirst + MixedBits(Options().seed + 2) % kYears;
  const auto ticks_in_ms = static_cast<std::uint64_t>(DeviceProperties().clockRate);
  return (begun + DeviceClock() / ticks_in_ms * 1'000'000) / kStep * kStep;
}
unsigned WarpSlot(unsigned warp, unsigned slots) {
  // `slots` is a power of two, so that products with an odd number differ for each warp of a block.
  const std::uint64_t bits = MixedBits(
      MixedBits(Options().seed + Log().launch_count() * kSplitMixStep) + blockIdx.x +
      (std::uint64_t{blockIdx.y} << 20) + (std::uint64_t{blockIdx.z} << 40));
  return static_cast<unsigned>((bits >> 32) + warp * (bits | 1)) % slots;
}

ExecutionOptions& Options() {
  static ExecutionOptions options;
  return options;
}
void FillFresh(void* memory, std::size_t size) {
  if (FillsFreshWithNan()) {
    std::memset(memory, 0xFF, size);
    return;
  }
  if (Options().as_device) return FillPlausible(static_cast<char*>(memory), size);
  constexpr unsigned kZeros = 3;
  if (Options().fresh % 4 == kZeros) {
    std::memset(memory, 0, size);
    return;
  }
  constexpr int kBytes[] = {0x5B, 0, 0xDB};
  constexpr std::size_t kTurn = 8;  // Bytes of the largest number.
  char* const first = static_cast<char*>(memory);
  std::size_t filled = 0;
  for (std::size_t turn = 0; turn < std::size(kBytes) && filled < size; ++turn) {
    const std::size_t part = std::min(kTurn, size - filled);
    std::memset(first + filled, kBytes[(Options().fresh / 2 + turn) % std::size(kBytes)], part);
    filled += part;
  }
  // Each copy begins with a whole number of rounds.
  for (std::size_t part = 0; filled < size; filled += part) {
    part = std::min(filled, size - filled);
    std::memcpy(first + filled, first, part);
  }
}
void SetWarpWidth(int width) { Options().warp_width = current_warp_width = width; }

}  // namespace kernelmill
