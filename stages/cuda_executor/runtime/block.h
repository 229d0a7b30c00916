// Runs one thread block of a launch: schedules its threads as fibers, and implements barriers and
// warp operations. block_turns.h runs the blocks of a launch with it; the device
// functions of a kernel (include/kernelmill/executor.h) end here.
//
// A fiber runs threads one after the other until one of them blocks. That fiber then belongs to the
// blocked thread, and another fiber continues with the threads that have not started. A thread that
// blocks picks the next fiber and switches to it directly. The launching context, "main", gets
// control back when no fiber can run: all threads have exited, or the rest is deadlocked.
#pragma once

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kernelmill/arrivals.h>
#include <kernelmill/async_copy.h>
#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/access_observer.h"
#include "stages/cuda_executor/runtime/launch_log.h"

namespace kernelmill {

enum class Waiting : unsigned char { kNot, kAtBarrier, kInWarp, kForCompany, kForOthers };

// The copies of a thread that are not awaited yet, oldest first, each with the number of its group:
// `groups` for those in no group yet.
struct PendingCopies {
  struct Entry {
    AsyncCopy copy;
    std::size_t group;
  };
  std::deque<Entry> copies;
  std::size_t groups = 0;
};
// Keeps a copy as StartCopy() does, and hands out the oldest one, if there is one.
bool KeepCopy(PendingCopies* pending, const AsyncCopy& copy);
bool TakeOldestCopy(PendingCopies* pending, AsyncCopy* copy);

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  char* stack = nullptr;  // The lowest byte of the stack.
  std::size_t stack_size = 0;
  unsigned thread = 0;
  uint3 index{};
  Waiting waiting = Waiting::kNot;
  LaneMask company = 0;              // The result of ActiveLanes().
  std::uint64_t calls = 0;           // Tells the calls that have led to it.
  const void* first_call = nullptr;  // Where the stack of the thread's function begins.
  Site site{"", 0};
  PendingCopies copies;
  std::vector<char> kept;  // What lies on the stack that all threads have (OneStack).

  // Whether an address lies on the stack: in a local variable of the thread.
  bool Holds(const void* address) const {
    const char* const byte = static_cast<const char*>(address);
    return byte >= stack && byte < stack + stack_size;
  }
};

// A warp operation in which lanes exchange values. It has two alternating buffers, because a fast
// lane may fill the next one while a slow lane still reads.
struct WarpMeeting {
  LaneMask mask = 0;
  WarpOperation operation = WarpOperation::kSync;
  LaneMask arrived = 0;
  unsigned turn = 0;
  unsigned unread = 0;  // Lanes that were released and have not run since.
  std::vector<Fiber*> waiting;
  LaneMask lanes[2] = {0, 0};
  alignas(16) unsigned char values[2][kMaxWarp * kMaxExchange];

  bool Holds(const void* address) const {
    const char* const byte = static_cast<const char*>(address);
    return byte >= reinterpret_cast<const char*>(this) &&
           byte < reinterpret_cast<const char*>(this + 1);
  }
};

// One stack for all threads of a block: a local variable has one address in all of them, as on a
// device, where local memory is private. What lies on it is exchanged when threads are switched. So
// a thread that reads another's variable by its address finds its own.
class OneStack {
 public:
  ~OneStack();
  char* First();  // The lowest byte.
  bool Has(const void* address) const;
  // A fiber is to begin with a call of `enter`.
  void Begin(Fiber* fiber, void (*enter)(boost::context::detail::transfer_t));
  // Switches from one fiber to another, which gets what is returned, without data. One of them may
  // have another stack.
  boost::context::detail::transfer_t Switch(Fiber* from, Fiber* to);
  void OnSwitched(boost::context::detail::fcontext_t mover) { mover_ = mover; }

 private:
  static void Move(boost::context::detail::transfer_t from);

  char* first_ = nullptr;
  boost::context::detail::fcontext_t mover_ = nullptr;  // It exchanges the bytes, on its own stack.
  std::vector<char> stack_of_mover_;
  Fiber *from_ = nullptr, *to_ = nullptr;
};

struct Warp {
  LaneMask alive = 0;
  std::vector<std::unique_ptr<WarpMeeting>> meetings;
};

class Block {
 public:
  static constexpr std::size_t kStackSize = 256 << 10;

  ~Block();
  // Sets what all blocks of a launch share. `threads` is at most 1,024. `flushes`: whether numbers
  // too small to be normal count as zero, as with -ftz=true.
  void Prepare(unsigned threads, std::uint64_t seed, bool flushes, void (*body)(void*),
               void* context);
  // Whether launches run with ExecutionOptions::as_device: not in builds that check accesses.
  static bool RunsAsDevice();
  // Runs one block until it ends or is suspended. Returns false after a fault, which is in the log.
  bool Run();
  // Goes on with a suspended block, as Run() does.
  bool Resume();
  bool suspended() const { return suspended_ != nullptr; }
  // Ends a block that is suspended, if it is.
  void Drop();

  // The following functions are called by the running thread.
  BarrierCount Barrier(bool predicate, Site site);
  WarpExchange Exchange(WarpOperation operation, LaneMask mask, const void* value, std::size_t size,
                        Site site);
  LaneMask ActiveLanes(Site site);
  // Waits until so many phases of the barrier are over.
  void Await(const Arrivals* arrivals, std::uint32_t phases, Site site);
  static constexpr unsigned kNamedBarriers = 16;
  Arrivals& NamedBarrier(unsigned number) { return named_barriers_[number]; }
  bool IsNamedBarrier(const Arrivals* arrivals) const {
    return arrivals >= named_barriers_.data() && arrivals < named_barriers_.data() + kNamedBarriers;
  }
  // The copies that a barrier awaits, and those of the running thread.
  PendingCopies& CopiesFor(const void* barrier) { return copies_for_[barrier]; }
  PendingCopies& Copies() { return current_->copies; }
  // Returns whether the thread has taken so many steps that it seems to wait for others.
  bool CountStep(Site site);
  // Leaves Run() or Resume() until the block is resumed.
  void Suspend();
  // Ends the block by a fault that is in the log.
  [[noreturn]] void End();
  // Lets other threads run before an atomic operation, in some of the cases: on a device they are not
  // done one after the other. Not in ascending order (seed 0).
  void LetOthersRun();
  // With ExecutionOptions::as_device, lets all other threads run behind an atomic operation: no
  // thread does its next one before all have done this one.
  void TakeTurns();
  [[noreturn]] void Abandon(Fault fault);
  // Reports an access of the running thread to memory that other threads may access too.
  void OnAccess(const void* address, std::size_t size, AccessKind kind, const void* instruction);
  void OnFence();

  bool running() const { return current_ != nullptr; }
  std::uint64_t steps() const { return steps_; }
  void SetStepLimit(std::uint64_t limit) {
    steps_ = 0;
    step_limit_ = limit;
  }
  // The bytes between the first call of the running thread and `frame`, a place on its stack.
  std::size_t DepthOf(const void* frame) const;
  // Whether an address lies on the running thread's stack: a local variable.
  bool IsLocal(const void* address) const;
  // Whether an address lies in a local variable of a thread of the block.
  bool IsOfBlock(const void* address) const;
  // Whether an address lies in the guard below the running fiber's stack.
  bool IsStackGuard(const void* address) const;

 private:
  friend class OneStack;
  // Threads start warp by warp: on a device, the lanes of a warp do an atomic operation together.
  void KeepWarpsTogether(unsigned width);
  static constexpr std::size_t kGuard = 4096;
  static char* NewStack();
  static void Enter(boost::context::detail::transfer_t from);
  void Arrive(boost::context::detail::transfer_t from);
  void RunThreads();
  void Start(Fiber* fiber);
  void Exit(unsigned thread);
  // `running` is the last thread to arrive, which continues without waiting; null if the barrier is
  // released for another reason.
  void ReleaseBarrier(const Fiber* running = nullptr);
  void Complete(WarpMeeting* meeting, unsigned warp);
  WarpMeeting* MeetingOf(Warp* warp, LaneMask mask, WarpOperation operation);
  void EndGathering();
  void WakeAwaiting();
  void MakeReady(Fiber* fiber);
  Fiber* PickNext();
  void SwitchAway();
  void SwitchTo(Fiber* fiber);
  bool GoOn();
  void AbandonThreads();
  // Whether an address lies among the values that the running thread's warp exchanges.
  bool IsExchanged(const void* address) const;
  static unsigned WarpOf(unsigned thread);
  static unsigned LaneOf(unsigned thread);
  Fiber* UnusedFiber();
  void Reset(Fiber* fiber);
  void Spend();  // Uses one step of the launch's budget.
  void NoteDeadlock();
  std::uint64_t Random();

  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  unsigned threads_ = 0;
  std::uint64_t seed_ = 0, random_ = 0;
  bool flushes_ = false;

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> unused_;
  // Whether this launch runs with ExecutionOptions::as_device, which only builds that do not check
  // accesses do. The other fibers are those of launches with the other value.
  bool as_device_ = false;
  std::vector<std::unique_ptr<Fiber>> other_fibers_;
  std::vector<Fiber*> other_unused_;
  OneStack one_stack_;
  static constexpr std::size_t kRing = 1024;  // The most threads of a block.
  std::array<Fiber*, kRing> ready_{};
  std::size_t first_ready_ = 0, ready_count_ = 0;
  Fiber main_;
  Fiber* current_ = nullptr;
  Fiber* suspended_ = nullptr;  // The thread that called Suspend().
  bool abandoned_ = false;

  std::vector<unsigned> order_;  // The order in which threads start; empty means ascending.
  unsigned started_ = 0, exited_ = 0;
  std::vector<Fiber*> at_barrier_;
  std::vector<Fiber*> gathering_;  // Fibers that wait in ActiveLanes().
  struct Awaited {
    Fiber* fiber;
    const Arrivals* arrivals;
    std::uint32_t phases;

    bool IsOver() const { return static_cast<std::int32_t>(arrivals->phase - phases) >= 0; }
  };
  std::vector<Awaited> awaited_;  // What fibers wait for in Await().
  std::array<Arrivals, kNamedBarriers> named_barriers_{};
  std::map<const void*, PendingCopies> copies_for_;
  int true_predicates_ = 0;
  BarrierCount barrier_{};
  std::vector<Warp> warps_;
  std::uint64_t steps_ = 0, step_limit_ = 0;
  std::size_t first_report_ = 0;  // MemoryReports() at the start of the launch.
  unsigned steps_of_thread_ = 0;  // Steps since the running thread was switched to.
};

Block& CurrentBlock();

}  // namespace kernelmill
