// What the blocks of a launch have made visible to each other, for the race detector. A thread
// publishes by a fence of the device and an atomic after it: what happened before the fence, in its
// own thread and in those that a barrier or __syncwarp() had joined with it. A fence counts for the
// atomic of another thread, too, if such a barrier lies between the two. A block learns what was
// published when one of its threads uses an atomic on the same address, and all that the publishing
// block had learned by then (PTX ISA, "Memory Consistency Model"; atomics read and write in one
// order for each address, and programs leave out the second fence, which devices do not need).
//
// It is lenient where it costs little: what one thread of a block has learned, all have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <kernelmill/executor.h>

namespace kernelmill {

// When a thread's access or fence happens in its block.
struct Moment {
  std::uint32_t block = 0;
  std::uint32_t barriers = 0;  // How many barriers of the block came before.
  std::uint32_t clock = 0;     // The thread's clock in its warp.
  std::uint16_t thread = 0;
};

class Publications {
 public:
  // The clocks of the lanes of a thread's warp, as far as the thread knows them.
  using Clocks = std::vector<std::uint32_t>;

  void BeginLaunch(unsigned threads, unsigned warp_width);
  void BeginBlock();
  void OnBarrier();
  // The lanes have executed __syncwarp(). `first`: as for AccessObserver.
  void OnWarpSync(unsigned first, LaneMask lanes);
  void OnFence(const Moment& now, std::span<const std::uint32_t> clocks);
  void OnAtomic(std::uint64_t address, unsigned thread);
  // The running block has read the result of an atomic on an address. False if nothing was
  // published by it.
  bool OnRead(std::uint64_t address);
  // Whether the running block has learned of an access of an earlier block.
  bool Visible(const Moment& before);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // What a thread has fenced, or knows to be fenced.
  struct Fenced {
    std::uint32_t barriers = 0;  // All accesses of the block before so many barriers.
    Clocks clocks;               // Those of its warp's lanes up to these clocks; empty: none.
    std::uint32_t snapshot = kNone;
  };
  struct Snapshot {
    std::uint32_t barriers = 0;
    std::shared_ptr<const Clocks> block;  // By thread; null: none.
    Clocks warp;
    unsigned first = 0;  // The first thread of the warp.
  };
  struct Publication {
    std::uint32_t block = 0, snapshot = 0;
    std::uint32_t earlier = kNone;     // The one before it on the same address.
    std::uint32_t learned = 0;         // The end of learned_ by then.
    std::uint32_t learned_by = kNone;  // The last block that has learned it.
  };

  std::uint32_t SnapshotOf(unsigned thread);
  void Follow();

  unsigned threads_ = 0, width_ = 0;
  std::uint32_t block_ = 0;
  bool used_ = false;    // Whether the launch has had a fence.
  bool fenced_ = false;  // Whether there was a fence since the block's last barrier.
  std::vector<Fenced> threads_fenced_;
  std::uint32_t block_barriers_ = 0;            // What was fenced before the last barrier,
  std::shared_ptr<const Clocks> block_clocks_;  // as in Fenced, but for each thread of the block.
  std::uint32_t block_snapshot_ = kNone;

  std::vector<Snapshot> snapshots_;
  std::vector<Publication> publications_;
  std::unordered_map<std::uint64_t, std::uint32_t> newest_;  // By address.
  std::vector<std::uint32_t> learned_;  // Publications, in the order in which blocks met them.
  std::vector<std::uint32_t> first_learned_;  // By block: its first entry in learned_.
  // What Follow() has found for the running block: how much of learned_ it has seen, and of each
  // earlier block its snapshots and how much of what that block had learned.
  struct Known {
    std::vector<std::uint32_t> snapshots;
    std::uint32_t learned = 0;
  };
  std::size_t followed_ = 0;
  std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace kernelmill
