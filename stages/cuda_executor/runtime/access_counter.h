// Counts the memory requests of warps while a launch runs, as the observer of builds that count
// accesses (BuildKind::kCounts); the log of launches keeps the result. The executor runs the
// threads of a warp one after the other, so a request is assembled from their accesses: the n-th
// executions of an instruction by the lanes since they last synchronised form one request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stages/cuda_executor/runtime/access_counts.h"
#include "stages/cuda_executor/runtime/access_observer.h"

namespace kernelmill {

class AccessCounter final : public AccessObserver {
 public:
  void BeginLaunch(unsigned threads) override;
  void EndLaunch() override { FinishAll(); }
  void BeginBlock() override { FinishAll(); }
  void OnBarrier() override { FinishAll(); }
  void OnWarpMeeting(unsigned first, LaneMask lanes, WarpOperation operation) override;
  void OnAccess(const void* address, std::size_t size, AccessKind kind, const void* instruction,
                unsigned thread) override;

  // The counts of the running launch, or of the last one.
  const AccessCounts& counts() const { return counts_; }

 private:
  enum class Memory : unsigned char { kGlobal, kShared };
  struct Request {
    Memory memory = Memory::kGlobal;
    std::size_t size = 0;                                    // Bytes that each lane accesses.
    std::vector<std::pair<unsigned, std::uintptr_t>> lanes;  // Lane and address.
  };
  // The loads, or the stores, of one instruction by one warp since its lanes last synchronised.
  struct Instruction {
    AccessKind kind = AccessKind::kRead;
    bool touched = false;
    std::vector<std::uint32_t> seen;     // Executions per lane.
    std::vector<std::uint32_t> pending;  // Open requests: indices into requests_, from `first` on.
    std::size_t first = 0;
    std::uint32_t finished = 0;  // Requests before `first`, which are finished.
  };
  struct Warp {
    // By instruction address and whether it loads. Entries are kept and reused when the warp
    // synchronises.
    std::unordered_map<std::uintptr_t, Instruction> instructions;
    std::vector<Instruction*> touched;  // Used since the last synchronisation.
  };

  bool IsSeen(const void* address, bool shared);
  std::uint32_t TakeRequest();
  void FinishAll();
  void FinishWarp(Warp* warp);
  void Finish(std::uint32_t place, AccessKind kind);
  void CountShared(const Request& request);
  unsigned LanesOf(std::size_t warp) const;

  AccessCounts counts_;
  unsigned threads_ = 0;
  std::vector<Warp> warps_;
  std::deque<Request> requests_;        // Of all warps; finished ones are reused.
  std::vector<std::uint32_t> free_;     // Indices of finished requests.
  std::vector<std::uintptr_t> places_;  // Sectors or words of one request.
  // A cache of pages that belong to allocations. None is allocated or freed while a launch runs.
  std::array<std::uintptr_t, 64> pages_{};
};

// The only counter of this process.
AccessCounter& Counter();
// The counts of the last launch; nothing in builds that do not count.
std::optional<AccessCounts> CountsOfLaunch();

}  // namespace kernelmill
