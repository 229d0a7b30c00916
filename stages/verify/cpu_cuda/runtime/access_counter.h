// Counts the memory requests of warps. The threads of a warp run one after the other here, so that
// a request is put together from their accesses: the n-th time that lanes come to one instruction
// since they last met belongs together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stages/verify/cpu_cuda/runtime/access_counts.h"
#include "stages/verify/cpu_cuda/runtime/access_observer.h"

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
    std::vector<std::uint32_t> seen;  // How often each lane has been here.
    std::deque<Request> pending;
    std::uint32_t finished = 0;  // Requests in front of `pending`.
  };
  struct Warp {
    std::map<std::pair<const void*, AccessKind>, Instruction> instructions;
  };

  void FinishAll();
  void FinishWarp(Warp* warp);
  void Finish(const Request& request, AccessKind kind);
  unsigned LanesOf(std::size_t warp) const;

  AccessCounts counts_;
  unsigned threads_ = 0;
  std::vector<Warp> warps_;
};

// Of this process.
AccessCounter& Counter();
// Of the launch that has ended; nothing in builds that do not count.
std::optional<AccessCounts> CountsOfLaunch();

}  // namespace kernelmill
