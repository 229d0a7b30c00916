// Runs the blocks of a launch: one after the other, or two at a time, in turns. On a device, blocks run
// at once. What a kernel does by two atomic operations, other blocks interrupt between them: a maximum
// that is read by one and replaced by another may be larger by then.
//
// The other block takes its turn before an atomic operation on global memory, in some of the cases, and
// where a thread seems to wait. So kernels without such operations pay nothing. It runs within the
// turn of the first one, on the stack of the thread that gave way, until it gives way itself. Both have
// the same places in shared memory; what lies there is exchanged.
//
// Blocks run one after the other: in ascending order (seed 0), in samples, in builds that observe
// accesses, which expect it, and if the extension's text names volatile memory: a thread that waits for
// another block by loads alone would not give way.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/block.h"

namespace kernelmill {

class BlockTurns {
 public:
  // What all blocks of the next launch share.
  void Prepare(const LaunchSpec& spec, void (*thread)(void*), void* context);
  // Runs `count` blocks, those with the numbers that `next` returns. Returns false after a fault,
  // which is in the log.
  bool Run(std::uint64_t count, bool sampled, const std::function<std::uint64_t()>& next);
  // Called by the running thread. `waits`: whether it seems to wait for something.
  void LetOtherRun(bool waits);

  Block& running() { return seats_[at_].block; }
  std::uint64_t steps() const { return seats_[0].block.steps() + seats_[1].block.steps(); }

 private:
  struct Seat {
    Block block;
    bool prepared = false;
    // Operations until the block gives way, and the limit of those of its turns.
    std::uint64_t left = 0, most = 1;
    uint3 block_index{}, thread_index{};
    std::vector<char> shared;
  };
  void PrepareSeat(Seat* seat);
  bool GoOn(unsigned at);
  std::uint64_t Random();
  void Begin(Seat* seat);
  void Keep(Seat* seat);
  void Restore(const Seat& seat);

  Seat seats_[2];
  unsigned at_ = 0;      // The seat of the running block.
  bool within_ = false;  // Whether it runs within the turn of the other.
  bool in_turns_ = false;
  const LaunchSpec* spec_ = nullptr;
  void (*thread_)(void*) = nullptr;
  void* context_ = nullptr;
  std::uint64_t count_ = 0, started_ = 0, random_ = 0;
  const std::function<std::uint64_t()>* next_ = nullptr;
};
BlockTurns& TheTurns();

}  // namespace kernelmill
