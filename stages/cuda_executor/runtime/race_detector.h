// Finds two accesses to the same bytes, one of them a write, that nothing orders: neither a barrier
// of the block, nor a warp operation that both threads took part in, nor a fence and an atomic
// between two blocks. It also finds reads of shared memory that nothing has written since the block
// began. It keeps the last write and two reads of each word, so that it never reports
// what is ordered and may miss one of many races on a word.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/access_observer.h"

namespace kernelmill {

class RaceDetector final : public AccessObserver {
 public:
  void BeginLaunch(unsigned threads) override;
  void BeginBlock() override;
  void OnBarrier() override { ++barriers_; }
  void OnWarpMeeting(unsigned first, LaneMask lanes) override;
  void OnFence() override { fenced_ = true; }
  void OnAccess(const void* address, std::size_t size, AccessKind kind, const void* instruction,
                unsigned thread) override;

 private:
  struct Access {
    const void* instruction = nullptr;  // Null: none.
    std::uint32_t block = 0;
    std::uint32_t barriers = 0;
    std::uint32_t clock = 0;  // Of the thread in its warp.
    std::uint16_t thread = 0;
    std::uint8_t bytes = 0;  // Of the word, a bit each.
    AccessKind kind = AccessKind::kRead;
  };
  struct Word {
    std::uint64_t address = 0;  // Of the word, in words; 0: unused.
    Access write, reads[2];
    std::uint32_t written_in = 0;  // The last block that wrote to it,
    std::uint8_t written = 0;      // and the bytes that it wrote.
  };

  Word* Find(std::uint64_t word);
  void Grow();
  void Check(const Access& before, const Access& now);
  bool Ordered(const Access& before, const Access& now) const;
  void OnWord(std::uint64_t word, const Access& now, bool shared);
  void CheckWritten(Word* word, const Access& now);

  std::vector<Word> words_;
  std::size_t used_ = 0;
  unsigned threads_ = 0;
  std::uint32_t block_ = 0;
  std::uint32_t barriers_ = 0;
  // Vector clocks of the lanes of each warp: clocks_[thread][lane].
  std::vector<std::vector<std::uint32_t>> clocks_;
  std::set<std::pair<const void*, const void*>> reported_;  // Instructions, in this launch.
  bool fenced_ = false;
  std::vector<bool> published_;  // Blocks that ended with a fence and an atomic behind it.
  bool acquired_ = false;        // The running block has used an atomic.
};

}  // namespace kernelmill
