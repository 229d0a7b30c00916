// Runs launches: refuses those that a device would refuse, orders the blocks, provides shared
// memory, and turns signals into faults.
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <kernelmill/runtime_api.h>

#include "stages/cuda_executor/runtime/access_counter.h"
#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/built_in_variables.h"
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/launch_sample.h"
#include "stages/cuda_executor/runtime/line_table.h"
#include "stages/cuda_executor/runtime/memory_checks.h"
#include "stages/cuda_executor/runtime/replay/held_copies.h"

namespace kernelmill {

uint3 current_thread_index, current_block_index, current_block_size, current_grid_size;
int current_warp_width = 32;
std::uint64_t current_block = 0;
std::uint64_t unset_bytes = ~std::uint64_t{0};

namespace {

constexpr std::size_t kSharedArena = 512 << 10;
constexpr std::size_t kSharedAlignment = 128;
constexpr std::size_t kSharedLimit = 48 << 10;  // Without cudaFuncSetAttribute().

struct SharedMemory {
  char* base = static_cast<char*>(
      mmap(nullptr, kSharedArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::size_t dynamic = 0;  // Dynamic shared memory of the launch, in bytes.
  std::size_t limit = 0;    // DynamicSharedLimit() of the launch.
  std::size_t used = 0;     // Where the next static variable goes; they follow the dynamic memory.
  std::size_t statics = 0;  // Bytes of the block's static variables so far.
};
SharedMemory& Shared() {
  static SharedMemory shared;
  return shared;
}

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

// Why a device would have refused a launch with so much shared memory; empty if it runs it. On a
// device the sum is known before the launch, here only as the block reaches its variables.
std::string RefusalOfShared(std::size_t statics, std::size_t dynamic, std::size_t limit) {
  if (statics > kSharedLimit) return "more than 48 KiB of static shared memory";
  const std::size_t most =
      limit > kSharedLimit ? cudaDeviceProp().sharedMemPerBlockOptin : kSharedLimit;
  if (statics + dynamic <= most) return {};
  return std::to_string(statics) + " bytes of static and " + std::to_string(dynamic) +
         " of dynamic shared memory; " + std::to_string(most) + " are allowed together";
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
  return {"illegal_address", "bad_pointer",
          "a thread accesses " + std::string(address) + ", where nothing is", "", 0};
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
  std::vector<std::uint64_t> chosen;
  if (sample) {
    chosen = BlocksOf(*sample, count, std::uint64_t{spec.block.x} * spec.block.y * spec.block.z);
    FillMemory(*sample);
  }
  const std::uint64_t running = sample ? chosen.size() : count;
  global_atomics = false;
  Block& block = CurrentBlock();
  SharedMemory& shared = Shared();
  shared.dynamic = spec.shared;
  shared.limit = DynamicSharedLimit(spec.callee);
  running_launch = &spec.site;
  const SignalGuard guard;
  const RunningScope kernel(Running::kKernel);
  BlockOrder order(count, Options().seed);
  for (std::uint64_t i = 0; i < running; ++i) {
    const std::uint64_t number = sample ? chosen[i] : order.Next();
    current_block_index = {static_cast<unsigned>(number % spec.grid.x),
                           static_cast<unsigned>(number / spec.grid.x % spec.grid.y),
                           static_cast<unsigned>(number / spec.grid.x / spec.grid.y)};
    ++current_block;
    shared.used =
        (spec.shared + kRedZone + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
    shared.statics = 0;
    Forbid(shared.base, kSharedArena);
    Allow(shared.base, spec.shared);
    FillFresh(shared.base, spec.shared);
    if (!block.Run()) return false;
    if (sample && i == 0) record->first_block_items = ItemsWritten(*sample);
  }
  record->blocks_run = running;
  record->global_atomics = global_atomics;
  Allow(shared.base, kSharedArena);
  return true;
}

}  // namespace

void RunLaunch(const LaunchSpec& spec, void (*thread)(void*), void* context) {
  Block& block = CurrentBlock();
  if (block.running()) {
    Trap("unsupported", "a kernel launches a kernel (dynamic parallelism)", spec.site);
  }
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
  block.Prepare(spec.block.x * spec.block.y * spec.block.z, Options().seed, spec.callee.fast_math,
                thread, context);
  block.SetStepLimit(Options().step_budget);
  const ShownCopies shown;
  const bool done = RunBlocks(spec, &record);
  if (Observer() != nullptr) Observer()->EndLaunch();
  record.steps = block.steps();
  record.counts = CountsOfLaunch();
  Log().Add(std::move(record));
  if (done) return;
  Device().last_error = cudaErrorLaunchFailure;
  throw std::runtime_error("CUDA error: " + Log().fault()->message + " (kernel " + spec.kernel +
                           ", launched at " + spec.site.file + ":" +
                           std::to_string(spec.site.line) + ")");
}

void* AllocateShared(std::size_t size, std::size_t alignment, Site site) {
  SharedMemory& shared = Shared();
  alignment = std::max(alignment, kSharedAlignment);
  const std::size_t at = (shared.used + alignment - 1) / alignment * alignment;
  shared.statics += size;
  std::string refusal = RefusalOfShared(shared.statics, shared.dynamic, shared.limit);
  if (refusal.empty() && at + size > kSharedArena) refusal = "too many shared variables";
  if (!refusal.empty()) {
    CurrentBlock().Abandon(
        {"crashed", "launch_limit", "the kernel has " + refusal, site.file, site.line});
  }
  shared.used = at + size + kRedZone;
  Allow(shared.base + at, size);
  FillFresh(shared.base + at, size);
  return shared.base + at;
}

bool IsShared(const void* address) {
  const char* const byte = static_cast<const char*>(address);
  return byte >= Shared().base && byte < Shared().base + kSharedArena;
}

Site SiteOfLaunch() { return *running_launch; }

void* DynamicShared() { return Shared().base; }

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
  if (CurrentBlock().running()) CurrentBlock().CountStep(site);
}
void StepOfAtomic(const void* address, Site site) {
  global_atomics = global_atomics || !IsShared(address);
  Step(site);
  if (CurrentBlock().running()) CurrentBlock().LetOthersRun();
}
void Fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (Observer() != nullptr) CurrentBlock().OnFence();
}
std::uint64_t DeviceClock() {
  // How much time passes on a device between two readings is unknown, so it differs from one order
  // of threads to the next: a result that depends on it does too.
  constexpr std::uint64_t kTicks[] = {2, 100, 5'000, 1'000'000};
  static std::uint64_t ticks = 0;
  return ticks += kTicks[Options().seed % std::size(kTicks)];
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
