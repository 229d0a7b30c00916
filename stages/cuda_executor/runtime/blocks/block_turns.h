// Runs the blocks of a launch: one after the other, or some at a time, in turns. On a device,
// blocks run at once. What a kernel does by two atomic operations, other blocks interrupt between
// them: a maximum that is read by one and replaced by another may be larger by then.
//
// Other blocks take their turns before an atomic operation on global memory, in some of the cases,
// and where a thread seems to wait. So kernels without such operations pay nothing. They run within
// the turn of the first one, on the stack of the thread that gave way, until they give way
// themselves. All have the same places in shared memory; what lies there is exchanged. Two blocks
// are in progress at once, and more with ExecutionOptions::as_device.
//
// Blocks run one after the other: in ascending order (seed 0), in samples, and in builds that
// observe accesses, which expect it. A thread that waits for another block by loads alone gives way
// because the rewrite counts the rounds of its loop (parsers/waiting_loops.h).
#pragma once

#include <array>
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
  std::uint64_t steps() const;

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
  // A seat besides this one whose block may run; `at` if there is none.
  unsigned OtherThan(unsigned at);
  std::uint64_t Random();
  void Begin(Seat* seat);
  void Keep(Seat* seat);
  void Restore(const Seat& seat);

  std::array<Seat, 16> seats_;
  unsigned used_ = 2;    // The seats that this launch uses.
  unsigned at_ = 0;      // The seat of the running block.
  bool within_ = false;  // Whether it runs within the turn of another.
  bool in_turns_ = false;
  const LaunchSpec* spec_ = nullptr;
  void (*thread_)(void*) = nullptr;
  void* context_ = nullptr;
  std::uint64_t count_ = 0, started_ = 0, random_ = 0;
  const std::function<std::uint64_t()>* next_ = nullptr;
};
BlockTurns& TheTurns();

}  // namespace kernelmill
