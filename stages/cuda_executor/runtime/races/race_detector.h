// Finds data races in a launch: two unordered accesses to the same bytes of which at least one is a
// write. It is the observer of builds that check races (BuildKind::kRaces), and writes what it
// finds to the log of launches. Accesses are ordered by a barrier of the block, by a __syncwarp()
// in which both threads took part (other warp operations order none: CUDA C++ Programming Guide,
// "Warp Shuffle Functions"), and, between two blocks, by fences and atomics (publications.h). It
// also finds reads of shared memory that was not written since the block began, and loads through
// the read-only cache of what the launch has written.
//
// Atomics of one block are atomic for other blocks' threads no more than plain accesses are. A
// plain read of what another block's atomic has written is a race unless a fence orders the two; it
// is taken for a volatile one if the extension's text names any volatile memory. A volatile load of
// global memory is a relaxed atomic, and so is a volatile store where others only load; two blocks
// that both store may each lose what the other has done. Atomics are
// relaxed: a block that reads a flag by an atomic, and then by another one, in another place, what
// the flag's block has written before it, is reported too if that block has no fence between its
// two atomics.
//
// It can miss races. It sees one order of blocks and threads. Of each word it keeps only the last
// write and two reads.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/access_observer.h"
#include "stages/cuda_executor/runtime/races/publications.h"
#include "stages/cuda_executor/runtime/races/shadow_memory.h"

namespace kernelmill {

class RaceDetector final : public AccessObserver {
 public:
  void BeginLaunch(unsigned threads) override;
  void BeginBlock() override;
  void OnBarrier() override;
  void OnWarpMeeting(unsigned first, LaneMask lanes, WarpOperation operation) override;
  void OnFence(unsigned thread) override;
  void NoteVolatile() override { names_volatile_ = true; }
  void OnVolatile(const void* address) override { volatile_ = address; }
  void OnReadOnlyLoad(const void* address, std::size_t size, Site site) override;
  void OnAccess(const void* address, std::size_t size, AccessKind kind, const void* instruction,
                unsigned thread) override;

 private:
  struct Access : Moment {
    std::uint8_t bytes = 0;  // The accessed bytes of the word, one bit each.
    AccessKind kind = AccessKind::kRead;
    std::uint32_t order = 0;            // Counts the accesses of the launch.
    const void* instruction = nullptr;  // Null if there is no access.
  };
  // What a block has read by an atomic of what another block's atomic has written.
  struct Flag {
    Access write, read;
  };
  struct Word {
    Access write, reads[2];
    std::uint32_t written_in = 0;  // The last block that wrote to it
    std::uint8_t written = 0;      // and the bytes that it wrote, one bit each.
  };

  Moment Now(unsigned thread) const;
  unsigned LaneOf(unsigned thread) const { return thread & (width_ - 1); }
  // What a thread knows of the clocks of its warp's lanes, its own included.
  std::span<std::uint32_t> ClocksOf(unsigned thread) {
    return std::span(clocks_).subspan(std::size_t{thread} * width_, width_);
  }
  void Check(const Access& before, const Access& now, std::uint64_t word);
  bool Ordered(const Access& before, const Access& now, std::uint64_t word);
  void CheckRelaxed(const Access& write, const Access& now);
  void OnWord(std::uint64_t word, const Access& now, bool shared);
  void CheckWritten(Word* word, const Access& now);

  ShadowMemory<Word> words_;
  unsigned threads_ = 0, width_ = 0;  // Of a block, and of a warp, which is a power of two.
  std::uint32_t block_ = 0;
  std::uint32_t barriers_ = 0;
  std::vector<std::uint32_t> clocks_;  // ClocksOf() each thread.
  std::vector<std::uint32_t> joined_;  // Those of a warp that meets.
  bool first_clocks_ = false;          // Whether clocks_ is as a block finds it.
  std::set<std::pair<const void*, const void*>> reported_;  // Pairs of instructions that were
                                                            // reported in this launch.
  Publications publications_;
  bool used_atomic_ = false;  // The running block has.
  bool names_volatile_ = false;
  const void* volatile_ = nullptr;  // The address of OnVolatile().
  std::uint32_t order_ = 0;
  std::unordered_map<std::uint32_t, Flag> flags_;  // Of the running block, by the block that wrote.
};

}  // namespace kernelmill
