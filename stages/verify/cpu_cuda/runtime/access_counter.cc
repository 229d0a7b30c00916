#include "stages/verify/cpu_cuda/runtime/access_counter.h"

#include <algorithm>
#include <array>

#include "stages/verify/cpu_cuda/runtime/address_spaces.h"
#include "stages/verify/cpu_cuda/runtime/execution_options.h"
#include "stages/verify/cpu_cuda/runtime/library_memory.h"
#include "stages/verify/cpu_cuda/runtime/memory_checks.h"

namespace kernelmill {
namespace {

constexpr std::uintptr_t kSectorBytes = 32;
constexpr std::uintptr_t kBankBytes = 4;
constexpr std::size_t kBanks = 32;

unsigned WarpWidth() { return static_cast<unsigned>(Options().warp_width); }

// Passes through shared memory that a group of accesses takes: lanes that want different words of
// one bank take turns.
std::uint64_t PassesOf(std::vector<std::uintptr_t>* words) {
  std::sort(words->begin(), words->end());
  words->erase(std::unique(words->begin(), words->end()), words->end());
  std::array<std::uint64_t, kBanks> of_bank{};
  std::uint64_t most = 0;
  for (const std::uintptr_t word : *words) most = std::max(most, ++of_bank[word % kBanks]);
  return most;
}

}  // namespace

void AccessCounter::BeginLaunch(unsigned threads) {
  counts_ = {};
  threads_ = threads;
  warps_.assign((threads + WarpWidth() - 1) / WarpWidth(), Warp());
}

unsigned AccessCounter::LanesOf(std::size_t warp) const {
  return std::min(WarpWidth(), threads_ - static_cast<unsigned>(warp) * WarpWidth());
}

void AccessCounter::OnAccess(const void* address, std::size_t size, AccessKind kind,
                             const void* instruction, unsigned thread) {
  const bool shared = IsShared(address);
  // The host's stack holds a launch's arguments, which lie in constant memory on a device.
  if (!shared && !IsAllocated(address) && !IsDeviceVariable(address)) return;
  if (kind == AccessKind::kAtomic) {
    ++(shared ? counts_.shared_atomics : counts_.global_atomics);
    return;
  }
  const unsigned lane = thread % WarpWidth();
  const std::size_t number = thread / WarpWidth();
  Instruction& here = warps_[number].instructions[{instruction, kind}];
  if (here.seen.empty()) here.seen.resize(WarpWidth());
  const std::uint32_t at = here.seen[lane]++ - here.finished;
  while (here.pending.size() <= at) here.pending.emplace_back();
  Request& request = here.pending[at];
  request.memory = shared ? Memory::kShared : Memory::kGlobal;
  request.size = size;
  request.lanes.emplace_back(lane, reinterpret_cast<std::uintptr_t>(address));
  while (!here.pending.empty() && here.pending.front().lanes.size() == LanesOf(number)) {
    Finish(here.pending.front(), kind);
    here.pending.pop_front();
    ++here.finished;
  }
}

void AccessCounter::OnWarpMeeting(unsigned first, LaneMask lanes) {
  const std::size_t number = first / WarpWidth();
  unsigned met = 0;
  for (; lanes != 0; lanes &= lanes - 1) ++met;
  if (met == LanesOf(number)) FinishWarp(&warps_[number]);
}

void AccessCounter::FinishAll() {
  for (Warp& warp : warps_) FinishWarp(&warp);
}

void AccessCounter::FinishWarp(Warp* warp) {
  for (const auto& [key, instruction] : warp->instructions) {
    for (const Request& request : instruction.pending) Finish(request, key.second);
  }
  warp->instructions.clear();
}

void AccessCounter::Finish(const Request& request, AccessKind kind) {
  const bool load = kind == AccessKind::kRead;
  counts_.active_lanes += request.lanes.size();
  if (request.memory == Memory::kGlobal) {
    std::vector<std::uintptr_t> sectors;
    for (const auto& [lane, address] : request.lanes) {
      const std::uintptr_t last = (address + request.size - 1) / kSectorBytes;
      for (std::uintptr_t at = address / kSectorBytes; at <= last; ++at) sectors.push_back(at);
    }
    std::sort(sectors.begin(), sectors.end());
    const auto distinct = std::unique(sectors.begin(), sectors.end()) - sectors.begin();
    ++(load ? counts_.global_load_requests : counts_.global_store_requests);
    (load ? counts_.global_load_sectors : counts_.global_store_sectors) +=
        static_cast<std::uint64_t>(distinct);
    return;
  }
  ++(load ? counts_.shared_load_requests : counts_.shared_store_requests);
  // Half a warp at a time for accesses of 8 bytes, a quarter for 16: 128 bytes are one pass.
  const std::size_t lanes_a_pass =
      std::max<std::size_t>(1, kBanks / std::max<std::size_t>(1, request.size / kBankBytes));
  std::map<std::size_t, std::vector<std::uintptr_t>> words;  // By pass.
  for (const auto& [lane, address] : request.lanes) {
    const std::uintptr_t last = (address + request.size - 1) / kBankBytes;
    for (std::uintptr_t at = address / kBankBytes; at <= last; ++at) {
      words[lane / lanes_a_pass].push_back(at);
    }
  }
  for (auto& [pass, wanted] : words) counts_.bank_conflicts += PassesOf(&wanted) - 1;
}

AccessCounter& Counter() {
  static AccessCounter counter;
  return counter;
}

}  // namespace kernelmill
