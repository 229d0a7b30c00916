#include "stages/cuda_executor/runtime/access_counter.h"

#include <algorithm>
#include <array>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/device_variables.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {
namespace {

constexpr std::uintptr_t kSectorBytes = 32;
constexpr std::uintptr_t kBankBytes = 4;
constexpr std::size_t kBanks = 32;
constexpr std::uintptr_t kPageBytes = 4096;

unsigned WarpWidth() { return static_cast<unsigned>(Options().warp_width); }

// Sorts and removes duplicates.
void KeepDistinct(std::vector<std::uintptr_t>* places) {
  if (!std::is_sorted(places->begin(), places->end())) std::sort(places->begin(), places->end());
  places->erase(std::unique(places->begin(), places->end()), places->end());
}

// The number of passes through shared memory that a group of accesses needs: different words of the
// same bank are accessed one after the other.
std::uint64_t PassesOf(std::vector<std::uintptr_t>* words) {
  KeepDistinct(words);
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
  requests_.clear();
  free_.clear();
  pages_.fill(~std::uintptr_t{0});
}

unsigned AccessCounter::LanesOf(std::size_t warp) const {
  return std::min(WarpWidth(), threads_ - static_cast<unsigned>(warp) * WarpWidth());
}

// Whether accesses to the address count. The arguments of a launch do not: they lie on the host's
// stack here, but in constant memory on a device.
bool AccessCounter::IsSeen(const void* address, bool shared) {
  if (shared) return true;
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / kPageBytes;
  std::uintptr_t& known = pages_[page % pages_.size()];
  if (known == page) return true;
  if (!StateOf(address) || IsConstantMemory(address)) return false;
  known = page;
  return true;
}

std::uint32_t AccessCounter::TakeRequest() {
  if (free_.empty()) {
    requests_.emplace_back();
    return static_cast<std::uint32_t>(requests_.size() - 1);
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  return place;
}

void AccessCounter::OnAccess(const void* address, std::size_t size, AccessKind kind,
                             const void* instruction, unsigned thread) {
  const bool shared = IsShared(address);
  if (!IsSeen(address, shared)) return;
  if (IsAtomic(kind)) {
    ++(shared ? counts_.shared_atomics : counts_.global_atomics);
    return;
  }
  const unsigned lane = thread % WarpWidth();
  const std::size_t number = thread / WarpWidth();
  Warp& warp = warps_[number];
  const std::uintptr_t key = reinterpret_cast<std::uintptr_t>(instruction) << 1;
  Instruction& here = warp.instructions[key | (kind == AccessKind::kRead ? 1 : 0)];
  if (!here.touched) {
    here.touched = true;
    here.kind = kind;
    here.seen.assign(WarpWidth(), 0);
    warp.touched.push_back(&here);
  }
  const std::size_t at = here.first + (here.seen[lane]++ - here.finished);
  while (here.pending.size() <= at) here.pending.push_back(TakeRequest());
  Request& request = requests_[here.pending[at]];
  request.memory = shared ? Memory::kShared : Memory::kGlobal;
  request.size = size;
  request.lanes.emplace_back(lane, reinterpret_cast<std::uintptr_t>(address));
  while (here.first < here.pending.size() &&
         requests_[here.pending[here.first]].lanes.size() == LanesOf(number)) {
    Finish(here.pending[here.first++], kind);
    ++here.finished;
  }
  if (here.first == here.pending.size()) {
    here.pending.clear();
    here.first = 0;
  }
}

void AccessCounter::OnWarpMeeting(unsigned first, LaneMask lanes, WarpOperation) {
  const std::size_t number = first / WarpWidth();
  unsigned met = 0;
  for (; lanes != 0; lanes &= lanes - 1) ++met;
  if (met == LanesOf(number)) FinishWarp(&warps_[number]);
}

void AccessCounter::FinishAll() {
  for (Warp& warp : warps_) FinishWarp(&warp);
}

void AccessCounter::FinishWarp(Warp* warp) {
  for (Instruction* instruction : warp->touched) {
    for (std::size_t i = instruction->first; i < instruction->pending.size(); ++i) {
      Finish(instruction->pending[i], instruction->kind);
    }
    instruction->pending.clear();
    instruction->first = 0;
    instruction->finished = 0;
    instruction->touched = false;
  }
  warp->touched.clear();
}

void AccessCounter::Finish(std::uint32_t place, AccessKind kind) {
  Request& request = requests_[place];
  const bool load = kind == AccessKind::kRead;
  counts_.active_lanes += request.lanes.size();
  if (request.memory == Memory::kGlobal) {
    places_.clear();
    for (const auto& [lane, address] : request.lanes) {
      const std::uintptr_t last = (address + request.size - 1) / kSectorBytes;
      for (std::uintptr_t at = address / kSectorBytes; at <= last; ++at) places_.push_back(at);
    }
    KeepDistinct(&places_);
    ++(load ? counts_.global_load_requests : counts_.global_store_requests);
    (load ? counts_.global_load_sectors : counts_.global_store_sectors) += places_.size();
  } else {
    ++(load ? counts_.shared_load_requests : counts_.shared_store_requests);
    CountShared(request);
  }
  request.lanes.clear();
  free_.push_back(place);
}

void AccessCounter::CountShared(const Request& request) {
  // One pass moves 128 bytes: half a warp for accesses of 8 bytes, a quarter for 16.
  const std::size_t lanes_a_pass =
      std::max<std::size_t>(1, kBanks / std::max<std::size_t>(1, request.size / kBankBytes));
  for (std::size_t begin = 0; begin < WarpWidth(); begin += lanes_a_pass) {
    places_.clear();
    for (const auto& [lane, address] : request.lanes) {
      if (lane < begin || lane >= begin + lanes_a_pass) continue;
      const std::uintptr_t last = (address + request.size - 1) / kBankBytes;
      for (std::uintptr_t at = address / kBankBytes; at <= last; ++at) places_.push_back(at);
    }
    if (!places_.empty()) counts_.bank_conflicts += PassesOf(&places_) - 1;
  }
}

AccessCounter& Counter() {
  static AccessCounter counter;
  return counter;
}

}  // namespace kernelmill
