#include "stages/cuda_executor/runtime/block.h"

#include <immintrin.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/built_in_variables.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/line_table.h"
#include "stages/cuda_executor/runtime/memory_checks.h"
#include "stages/cuda_executor/runtime/reachable_memory.h"
#include "stages/cuda_executor/runtime/step_alarm.h"

namespace kernelmill {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// A thread that takes this many steps without blocking yields to the others, because it may be
// waiting for them.
constexpr unsigned kPatience = 4096;

LaneMask LanesBelow(unsigned count) {
  return count >= kMaxWarp ? ~LaneMask{0} : (LaneMask{1} << count) - 1;
}

// The bits of the processor's control register by which results and operands that are not normal
// count as zero. Each fiber has its own.
constexpr unsigned kFlushing = 0x8040;
void SetFlushing(bool flushes) {
  const unsigned others = _mm_getcsr() & ~kFlushing;
  _mm_setcsr(flushes ? others | kFlushing : others);
}

std::string Indices(const uint3& at) {
  return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) +
         ")";
}

}  // namespace

unsigned Block::WarpOf(unsigned thread) {
  return thread / static_cast<unsigned>(Options().warp_width);
}
unsigned Block::LaneOf(unsigned thread) {
  return thread % static_cast<unsigned>(Options().warp_width);
}

Block::~Block() {
  for (const auto* fibers : {&fibers_, &other_fibers_}) {
    for (const auto& fiber : *fibers) {
      if (!one_stack_.Has(fiber->stack)) munmap(fiber->stack - kGuard, kStackSize + kGuard);
    }
  }
}

void Block::Prepare(unsigned threads, std::uint64_t seed, bool flushes, void (*body)(void*),
                    void* context) {
  flushes_ = flushes;
  body_ = body;
  context_ = context;
  threads_ = threads;
  first_report_ = MemoryReports();
  ForgetReachable();
  seed_ = random_ = seed;
  order_.clear();
  if (seed != 0) {
    order_.resize(threads);
    std::iota(order_.begin(), order_.end(), 0u);
    for (unsigned i = threads; i > 1; --i) std::swap(order_[i - 1], order_[Random() % i]);
  }
  if (Observer() != nullptr) Observer()->BeginLaunch(threads);
  const bool as_device = RunsAsDevice();
  if (as_device != as_device_) {
    as_device_ = as_device;
    fibers_.swap(other_fibers_);
    unused_.swap(other_unused_);
  }
  const unsigned width = static_cast<unsigned>(Options().warp_width);
  if (as_device_ && seed != 0) KeepWarpsTogether(width);
  warps_.resize((threads + width - 1) / width);
}

bool Block::RunsAsDevice() { return Options().as_device && Observer() == nullptr && kRedZone == 0; }

void Block::KeepWarpsTogether(unsigned width) {
  // Each warp stands where its first thread stood.
  std::vector<std::size_t> place(threads_ / width + 1);
  for (std::size_t i = order_.size(); i-- > 0;) place[order_[i] / width] = i;
  std::ranges::stable_sort(order_, {}, [&](unsigned thread) { return place[thread / width]; });
}

std::uint64_t Block::Random() { return MixedBits(random_ += kSplitMixStep); }

bool Block::Run() {
  started_ = exited_ = 0;
  first_ready_ = ready_count_ = 0;
  true_predicates_ = 0;
  abandoned_ = false;
  const unsigned width = static_cast<unsigned>(Options().warp_width);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const unsigned lanes = threads_ - static_cast<unsigned>(i) * width;
    warps_[i].alive = LanesBelow(std::min(lanes, width));
  }
  named_barriers_.fill({});
  copies_for_.clear();
  if (Observer() != nullptr) Observer()->BeginBlock();
  current_ = &main_;
  SwitchAway();
  return GoOn();
}

bool Block::Resume() {
  current_ = &main_;
  SwitchTo(std::exchange(suspended_, nullptr));
  return GoOn();
}

// What the launching context does when it has control again.
bool Block::GoOn() {
  current_ = nullptr;
  if (suspended()) return true;
  if (!abandoned_ && exited_ == threads_) return true;
  if (!abandoned_) NoteDeadlock();
  AbandonThreads();
  return false;
}

void Block::Drop() {
  if (suspended()) AbandonThreads();
  suspended_ = nullptr;
}

void Block::AbandonThreads() {
  // Threads that still wait are abandoned. Their destructors do not run; those of device code do
  // not matter.
  at_barrier_.clear();
  gathering_.clear();
  awaited_.clear();
  for (Warp& warp : warps_) warp.meetings.clear();
  unused_.clear();
  for (const auto& fiber : fibers_) {
    Reset(fiber.get());
    unused_.push_back(fiber.get());
  }
}

void Block::Enter(transfer_t from) {
  CurrentBlock().Arrive(from);
  CurrentBlock().RunThreads();
}

void Block::RunThreads() {
  current_->first_call = __builtin_frame_address(0);
  while (true) {
    while (started_ < threads_ && (ready_count_ == 0 || as_device_)) {
      Start(current_);
      body_(context_);
      Exit(current_->thread);
    }
    unused_.push_back(current_);
    SwitchAway();
  }
}

void Block::Start(Fiber* fiber) {
  if (MemoryReports() > first_report_ + kMostReports) Abandon(Log().findings().back());
  SetFlushing(flushes_);
  const unsigned thread = order_.empty() ? started_ : order_[started_];
  ++started_;
  ++steps_;
  step_alarm.Count();
  steps_of_thread_ = 0;
  fiber->thread = thread;
  fiber->copies.copies.clear();
  fiber->copies.groups = 0;
  const uint3 size = current_block_size;
  fiber->index = {thread % size.x, thread / size.x % size.y, thread / (size.x * size.y)};
  current_thread_index = fiber->index;
}

void Block::Exit(unsigned thread) {
  ++exited_;
  Warp& warp = warps_[WarpOf(thread)];
  warp.alive &= ~(LaneMask{1} << LaneOf(thread));
  for (const auto& meeting : warp.meetings) {
    if (meeting->arrived != 0 && (meeting->mask & warp.alive & ~meeting->arrived) == 0) {
      Complete(meeting.get(), WarpOf(thread));
    }
  }
  if (!at_barrier_.empty() && at_barrier_.size() + exited_ == threads_) ReleaseBarrier();
}

void Block::MakeReady(Fiber* fiber) {
  fiber->waiting = Waiting::kNot;
  ready_[(first_ready_ + ready_count_++) % kRing] = fiber;
}

Fiber* Block::PickNext() {
  const bool can_start = started_ < threads_;
  if (ready_count_ == 0 && !can_start) WakeAwaiting();
  if (ready_count_ == 0 && !can_start && !gathering_.empty()) EndGathering();
  if (as_device_ && can_start) return UnusedFiber();
  if (ready_count_ > 0) {
    // The seed decides: a thread that has not started may run before one that is ready, and ready
    // threads run in any order.
    if (seed_ != 0 && !as_device_) {
      if (can_start && Random() % 4 == 0) return UnusedFiber();
      std::swap(ready_[first_ready_], ready_[(first_ready_ + Random() % ready_count_) % kRing]);
    }
    Fiber* const next = ready_[first_ready_];
    first_ready_ = (first_ready_ + 1) % kRing;
    --ready_count_;
    return next;
  }
  return can_start ? UnusedFiber() : &main_;
}

void Block::SwitchAway() {
  Fiber* const from = current_;
  Fiber* const to = PickNext();
  Spend();
  if (to != from) SwitchTo(to);
}

void Block::SwitchTo(Fiber* to) {
  Fiber* const from = std::exchange(current_, to);
  steps_of_thread_ = 0;
  current_thread_index = to->index;
  if (as_device_) return Arrive(one_stack_.Switch(from, to));
  BeforeSwitch(to->stack, to->stack_size);
  Arrive(jump_fcontext(to->context, from));
}

void Block::Arrive(transfer_t from) {
  if (from.data == nullptr) return one_stack_.OnSwitched(from.fctx);
  Fiber* const fiber = static_cast<Fiber*>(from.data);
  fiber->context = from.fctx;
  const void* bottom = nullptr;
  std::size_t size = 0;
  AfterSwitch(&bottom, &size);
  if (fiber == &main_) {  // Its stack was allocated by the system; this call reports its bounds.
    main_.stack = static_cast<char*>(const_cast<void*>(bottom));
    main_.stack_size = size;
  }
}

void Block::Spend() {
  step_alarm.Count();
  if (++steps_ <= step_limit_ || current_ == &main_) return;
  Abandon({"undecided", "step_budget",
           "the launch was stopped after " + std::to_string(step_limit_) + " scheduler steps",
           current_->site.file, current_->site.line});
}

Fiber* Block::UnusedFiber() {
  if (unused_.empty()) {
    auto fiber = std::make_unique<Fiber>();
    fiber->stack = as_device_ ? one_stack_.First() : NewStack();
    fiber->stack_size = kStackSize;
    fibers_.push_back(std::move(fiber));
    Reset(fibers_.back().get());
    return fibers_.back().get();
  }
  Fiber* const fiber = unused_.back();
  unused_.pop_back();
  return fiber;
}

void Block::Reset(Fiber* fiber) {
  fiber->waiting = Waiting::kNot;
  if (as_device_) return one_stack_.Begin(fiber, &Enter);
  const auto number = static_cast<std::size_t>(
      std::find_if(fibers_.begin(), fibers_.end(),
                   [&](const auto& other) { return other.get() == fiber; }) -
      fibers_.begin());
  // Without the shift, all stacks would start in the same set of the first-level cache.
  const std::size_t shift = number % 61 * 192;
  Allow(fiber->stack, kStackSize);
  fiber->context = make_fcontext(fiber->stack + kStackSize - shift, kStackSize - shift, &Enter);
}

char* Block::NewStack() {
  void* const memory = mmap(nullptr, kStackSize + kGuard, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  mprotect(memory, kGuard, PROT_NONE);
  return static_cast<char*>(memory) + kGuard;
}

BarrierCount Block::Barrier(bool predicate, Site site) {
  Fiber* const self = current_;
  self->site = site;
  if (!at_barrier_.empty() && at_barrier_[0]->site.line != site.line) {
    Log().AddFinding({"undefined_behaviour", "divergent_barrier",
                      "threads of one block wait at different barriers, this one and line " +
                          std::to_string(at_barrier_[0]->site.line),
                      site.file, site.line});
  }
  true_predicates_ += predicate;
  at_barrier_.push_back(self);
  if (at_barrier_.size() + exited_ == threads_) {
    ReleaseBarrier(as_device_ ? nullptr : self);
    // On a device, the warp of the last thread to arrive goes on as a whole.
    if (as_device_) return SwitchAway(), barrier_;
    Spend();
  } else {
    self->waiting = Waiting::kAtBarrier;
    SwitchAway();
  }
  return barrier_;
}

void Block::ReleaseBarrier(const Fiber* running) {
  if (exited_ > 0) {
    Log().AddFinding({"undefined_behaviour", "exited_before_barrier",
                      "some threads of the block returned, others wait at this __syncthreads()",
                      at_barrier_[0]->site.file, at_barrier_[0]->site.line});
  }
  barrier_ = {static_cast<int>(threads_ - exited_), true_predicates_};
  true_predicates_ = 0;
  if (Observer() != nullptr) Observer()->OnBarrier();
  for (Fiber* fiber : at_barrier_) {
    if (fiber != running) MakeReady(fiber);
  }
  at_barrier_.clear();
}

void Block::OnAccess(const void* address, std::size_t size, AccessKind kind,
                     const void* instruction) {
  if (current_ == nullptr || current_ == &main_ || IsLocal(address) || IsExchanged(address)) return;
#ifdef KERNELMILL_CHECK_RACES
  const bool writes = kind != AccessKind::kRead;
  if (!IsReachable(address, size, writes, context_) && !IsOfBlock(address)) {
    const SourceLine line = LineOf(instruction);
    Abandon({"illegal_address", "wrong_space",
             std::string("a thread ") + (writes ? "writes to" : "reads") +
                 " memory of the host by a pointer that is no argument of the kernel",
             line.file, line.line});
  }
#endif
  Observer()->OnAccess(address, size, kind, instruction, current_->thread);
}

bool Block::IsOfBlock(const void* address) const {
  return std::ranges::any_of(fibers_, [&](const auto& fiber) { return fiber->Holds(address); });
}

bool Block::IsExchanged(const void* address) const {
  return std::ranges::any_of(warps_[WarpOf(current_->thread)].meetings,
                             [&](const auto& meeting) { return meeting->Holds(address); });
}

void Block::OnFence() {
  if (current_ != nullptr && current_ != &main_) Observer()->OnFence(current_->thread);
}

void Block::Await(const Arrivals* arrivals, std::uint32_t phases, Site site) {
  const Awaited awaited{current_, arrivals, phases};
  while (!awaited.IsOver()) {
    current_->site = site;
    current_->waiting = Waiting::kForOthers;
    awaited_.push_back(awaited);
    SwitchAway();
  }
}

void Block::WakeAwaiting() {
  std::erase_if(awaited_, [&](const Awaited& awaited) {
    if (awaited.IsOver()) MakeReady(awaited.fiber);
    return awaited.IsOver();
  });
}

bool Block::CountStep(Site site) {
  current_->site = site;
  Spend();
  if (++steps_of_thread_ < kPatience) return false;
  steps_of_thread_ = 0;
  if (threads_ > 1) {
    MakeReady(current_);
    SwitchAway();
  }
  return true;
}

void Block::Suspend() {
  suspended_ = current_;
  SwitchTo(&main_);
}

void Block::LetOthersRun() {
  if (seed_ == 0 || as_device_ || threads_ == 1 || Random() % 2 == 0) return;
  MakeReady(current_);
  SwitchAway();
}

void Block::TakeTurns() {
  if (!as_device_ || threads_ == 1 || current_ == nullptr) return;
  MakeReady(current_);
  SwitchAway();
}

void Block::Abandon(Fault fault) {
  Log().SetFault(std::move(fault));
  End();
}

void Block::End() {
  abandoned_ = true;
  Fiber* const from = current_;
  current_ = &main_;
  BeforeSwitch(main_.stack, main_.stack_size);
  jump_fcontext(main_.context, from);
  std::abort();  // The fiber is reset before the next switch to it.
}

std::size_t Block::DepthOf(const void* frame) const {
  const auto* const first = static_cast<const char*>(current_->first_call);
  const auto* const at = static_cast<const char*>(frame);
  return IsLocal(at) && at < first ? static_cast<std::size_t>(first - at) : 0;
}

bool Block::IsLocal(const void* address) const {
  return current_ != nullptr && current_->Holds(address);
}

bool Block::IsStackGuard(const void* address) const {
  if (current_ == nullptr || current_ == &main_) return false;
  const char* const byte = static_cast<const char*>(address);
  return byte < current_->stack && byte >= current_->stack - kGuard;
}

void Block::NoteDeadlock() {
  unsigned at_barrier = 0, in_warp = 0, for_others = 0;
  Site barrier{"", 0}, warp{"", 0}, others{"", 0};
  for (const auto& fiber : fibers_) {
    if (fiber->waiting == Waiting::kAtBarrier) {
      ++at_barrier;
      barrier = fiber->site;
    } else if (fiber->waiting == Waiting::kInWarp) {
      ++in_warp;
      warp = fiber->site;
    } else if (fiber->waiting == Waiting::kForOthers) {
      ++for_others;
      others = fiber->site;
    }
  }
  std::string message = "deadlock in block " + Indices(current_block_index) + ": ";
  if (at_barrier > 0) {
    message += std::to_string(at_barrier) + " threads wait at the __syncthreads() of line " +
               std::to_string(barrier.line);
  }
  if (in_warp > 0) {
    message += (at_barrier > 0 ? ", " : "") + std::to_string(in_warp) +
               " in the warp operation of line " + std::to_string(warp.line);
  }
  if (for_others > 0) {
    message += (at_barrier + in_warp > 0 ? ", " : "") + std::to_string(for_others) +
               " for arrivals at the barrier of line " + std::to_string(others.line);
  }
  message += "; " + std::to_string(exited_) + " of " + std::to_string(threads_) + " have returned";
  const Site site = in_warp > 0 ? warp : at_barrier > 0 ? barrier : others;
  Log().SetFault({"timed_out", "deadlock", message, site.file, site.line});
}

}  // namespace kernelmill
