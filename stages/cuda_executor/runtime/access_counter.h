// Counts the memory requests of warps. The threads of a warp run one after the other here, so that
// a request is put together from their accesses: the n-th time that lanes come to one instruction
// since they last met belongs together.
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
  void OnWarpMeeting(unsigned first, LaneMask lanes) override;
  void OnAccess(const void* address, std::size_t size, AccessKind kind, const void* instruction,
                unsigned thread) override;

  // Of the launch that runs, or of the last one.
  const AccessCounts& counts() const { return counts_; }

 private:
  enum class Memory : unsigned char { kGlobal, kShared };
  struct Request {
    Memory memory = Memory::kGlobal;
    std::size_t size = 0;                                    // Of one lane's access, in bytes.
    std::vector<std::pair<unsigned, std::uintptr_t>> lanes;  // With the address of each.
  };
  // Loads, or stores, of one instruction by one warp since its lanes last met.
  struct Instruction {
    AccessKind kind = AccessKind::kRead;
    bool touched = false;
    std::vector<std::uint32_t> seen;     // How often each lane has been here.
    std::vector<std::uint32_t> pending;  // Requests, by place in requests_, from `first` on.
    std::size_t first = 0;
    std::uint32_t finished = 0;  // Requests in front of those.
  };
  struct Warp {
    // An instruction and whether it loads. They stay when the warp meets, and are used again.
    std::unordered_map<std::uintptr_t, Instruction> instructions;
    std::vector<Instruction*> touched;  // Since then.
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
  std::deque<Request> requests_;     // Of all warps; finished ones are used again.
  std::vector<std::uint32_t> free_;  // Places of those.
  std::vector<std::uintptr_t> places_;  // Sectors or words of one request.
  // Pages of allocations; none is made or freed while a launch runs.
  std::array<std::uintptr_t, 64> pages_{};
};

// Of this process.
AccessCounter& Counter();
// Of the launch that has ended; nothing in builds that do not count.
std::optional<AccessCounts> CountsOfLaunch();

}  // namespace kernelmill
