#include "stages/cuda_executor/runtime/blocks/block_turns.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/access_observer.h"
#include "stages/cuda_executor/runtime/built_in_variables.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/memory_checks.h"
#include "stages/cuda_executor/runtime/shared_memory/block_memory.h"

namespace kernelmill {

BlockTurns& TheTurns() {
  static BlockTurns turns;
  return turns;
}

Block& CurrentBlock() { return TheTurns().running(); }

void BlockTurns::Prepare(const LaunchSpec& spec, void (*thread)(void*), void* context) {
  spec_ = &spec;
  thread_ = thread;
  context_ = context;
  at_ = 0;
  used_ = Block::RunsAsDevice() ? static_cast<unsigned>(seats_.size()) : 2;
  for (Seat& seat : seats_) {
    seat.prepared = false;
    seat.block.SetStepLimit(Options().step_budget);
  }
  PrepareSeat(&seats_[0]);
}

void BlockTurns::PrepareSeat(Seat* seat) {
  if (seat->prepared) return;
  seat->block.Prepare(spec_->block.x * spec_->block.y * spec_->block.z, Options().seed,
                      spec_->callee.flushes, thread_, context_);
  seat->prepared = true;
}

bool BlockTurns::Run(std::uint64_t count, bool sampled,
                     const std::function<std::uint64_t()>& next) {
  count_ = count;
  started_ = 0;
  next_ = &next;
  random_ = Options().seed;
  within_ = false;
  constexpr bool kChecksMemory = kRedZone > 0;
  in_turns_ = Options().seed != 0 && !sampled && !kChecksMemory && Observer() == nullptr;
  while (true) {
    const auto seat =
        std::ranges::find_if(seats_, [](const Seat& each) { return each.block.suspended(); });
    if (seat == seats_.end() && started_ == count_) return true;
    if (GoOn(seat == seats_.end() ? 0 : static_cast<unsigned>(seat - seats_.begin()))) continue;
    for (Seat& each : seats_) each.block.Drop();
    return false;
  }
}

std::uint64_t BlockTurns::steps() const {
  std::uint64_t steps = 0;
  for (const Seat& seat : seats_) steps += seat.block.steps();
  return steps;
}

bool BlockTurns::GoOn(unsigned at) {
  at_ = at;
  Seat& seat = seats_[at];
  if (seat.block.suspended()) {
    Restore(seat);
    return seat.block.Resume();
  }
  Begin(&seat);
  return seat.block.Run();
}

unsigned BlockTurns::OtherThan(unsigned at) {
  const auto first = static_cast<unsigned>(Random() % used_);
  for (unsigned i = 0; i < used_; ++i) {
    const unsigned other = (first + i) % used_;
    if (other == at) continue;
    if (seats_[other].block.suspended() || started_ < count_) return other;
  }
  return at;
}

std::uint64_t BlockTurns::Random() { return MixedBits(random_ += kSplitMixStep); }

void BlockTurns::Begin(Seat* seat) {
  PrepareSeat(seat);
  // Threads of a block may each do the first of two operations before one does the second.
  constexpr std::uint64_t kMost[] = {2, 16, 128, 1024};
  seat->most = kMost[Random() % std::size(kMost)];
  seat->left = Random() % seat->most;
  const std::uint64_t number = (*next_)();
  ++started_;
  const dim3& grid = spec_->grid;
  current_block_index = {static_cast<unsigned>(number % grid.x),
                         static_cast<unsigned>(number / grid.x % grid.y),
                         static_cast<unsigned>(number / grid.x / grid.y)};
  if (within_) {
    FillShared(Shared().base, Shared().used);
  } else {
    ++current_block;
    Shared().Begin();
  }
}

void BlockTurns::LetOtherRun(bool waits) {
  if (!in_turns_) return;
  Seat& own = seats_[at_];
  if (!waits && own.left > 0) {
    --own.left;
    return;
  }
  const unsigned self = at_;
  unsigned other = within_ ? self : OtherThan(self);
  if (!within_ && other == self) return;
  own.left = Random() % own.most;
  Keep(&own);
  if (within_) return own.block.Suspend();  // GoOn() restores it.
  for (auto turns = 1 + Random() % (used_ - 1); turns > 0 && other != self; --turns) {
    within_ = true;
    const bool goes_on = GoOn(other);
    within_ = false;
    at_ = self;
    if (!goes_on) own.block.End();
    other = OtherThan(self);
  }
  Restore(own);
}

void BlockTurns::Keep(Seat* seat) {
  seat->block_index = current_block_index;
  seat->thread_index = current_thread_index;
  seat->shared.assign(Shared().base, Shared().base + Shared().used);
}

void BlockTurns::Restore(const Seat& seat) {
  current_block_index = seat.block_index;
  current_thread_index = seat.thread_index;
  std::memcpy(Shared().base, seat.shared.data(), seat.shared.size());
  // Variables that only the other block has reached so far.
  FillShared(Shared().base + seat.shared.size(), Shared().used - seat.shared.size());
}

}  // namespace kernelmill
