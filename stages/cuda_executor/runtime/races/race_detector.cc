#include "stages/cuda_executor/runtime/races/race_detector.h"

#include <algorithm>
#include <string>

#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/line_table.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {
namespace {

constexpr std::size_t kWordBytes = 4;

// Whether others see what it writes, or it sees what they write, as with a relaxed atomic.
bool IsRelaxedWrite(AccessKind kind) {
  return kind == AccessKind::kAtomic || kind == AccessKind::kVolatileWrite;
}
bool IsRelaxedRead(AccessKind kind) {
  return kind == AccessKind::kAtomicRead || kind == AccessKind::kVolatileRead;
}
bool IsRead(AccessKind kind) { return kind == AccessKind::kRead || IsRelaxedRead(kind); }

AccessKind VolatileKind(AccessKind kind) {
  if (kind == AccessKind::kRead) return AccessKind::kVolatileRead;
  return kind == AccessKind::kWrite ? AccessKind::kVolatileWrite : kind;
}

// Whether two accesses, of any threads, are those of relaxed atomics. Two volatile stores are not:
// each thread may go on from what it has loaded before the other one's store.
bool AreRelaxed(AccessKind one, AccessKind other) {
  const bool both = (IsRelaxedRead(one) || IsRelaxedWrite(one)) &&
                    (IsRelaxedRead(other) || IsRelaxedWrite(other));
  return both && (IsRelaxedRead(one) || IsRelaxedRead(other));
}

// Calls `use(word, bytes)` for each word of which bytes are accessed, one bit each.
template <typename Use>
void ForEachWord(const void* address, std::size_t size, Use use) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t at = first; at < first + size;) {
    const std::size_t offset = at % kWordBytes;
    const std::size_t count = std::min(kWordBytes - offset, first + size - at);
    use(std::uint64_t{at / kWordBytes}, static_cast<std::uint8_t>(((1u << count) - 1) << offset));
    at += count;
  }
}

}  // namespace

void RaceDetector::BeginLaunch(unsigned threads) {
  threads_ = threads;
  width_ = static_cast<unsigned>(Options().warp_width);
  words_.Clear();
  block_ = order_ = 0;
  publications_.BeginLaunch(threads, width_);
  clocks_.assign(std::size_t{threads} * width_, 0);
  first_clocks_ = false;
  reported_.clear();
}

void RaceDetector::BeginBlock() {
  ++block_;
  barriers_ = 0;
  used_atomic_ = false;
  flags_.clear();
  publications_.BeginBlock();
  if (first_clocks_) return;
  std::ranges::fill(clocks_, 0);
  for (unsigned thread = 0; thread < threads_; ++thread) ClocksOf(thread)[LaneOf(thread)] = 1;
  first_clocks_ = true;
}

void RaceDetector::OnBarrier() {
  ++barriers_;
  publications_.OnBarrier();
}

void RaceDetector::OnFence(unsigned thread) {
  publications_.OnFence(Now(thread), ClocksOf(thread));
  // What the thread does from now on, the fence has not ordered.
  ++ClocksOf(thread)[LaneOf(thread)];
  first_clocks_ = false;
}

Moment RaceDetector::Now(unsigned thread) const {
  return {block_, barriers_, clocks_[std::size_t{thread} * width_ + LaneOf(thread)],
          static_cast<std::uint16_t>(thread)};
}

void RaceDetector::OnWarpMeeting(unsigned first, LaneMask lanes, WarpOperation operation) {
  if (operation != WarpOperation::kSync) return;
  publications_.OnWarpSync(first, lanes);
  joined_.assign(width_, 0);
  const auto each = [&](auto use) {
    for (unsigned lane = 0; lane < width_ && first + lane < threads_; ++lane) {
      if ((lanes >> lane) & 1) use(lane, ClocksOf(first + lane));
    }
  };
  each([&](unsigned, const auto& clocks) {
    for (std::size_t i = 0; i < joined_.size(); ++i) joined_[i] = std::max(joined_[i], clocks[i]);
  });
  each([&](unsigned lane, const auto& clocks) {
    std::ranges::copy(joined_, clocks.begin());
    ++clocks[lane];
  });
  first_clocks_ = false;
}

bool RaceDetector::Ordered(const Access& before, const Access& now, std::uint64_t word) {
  if (before.block != now.block) {
    if (names_volatile_ && IsRelaxedWrite(before.kind) && now.kind == AccessKind::kRead &&
        used_atomic_ && publications_.OnRead(word)) {
      return true;
    }
    return publications_.Visible(before);
  }
  if (before.thread == now.thread || before.barriers != now.barriers) return true;
  if (before.thread / width_ != now.thread / width_) return false;
  return ClocksOf(now.thread)[LaneOf(before.thread)] >= before.clock;
}

void RaceDetector::Check(const Access& before, const Access& now, std::uint64_t word) {
  if (before.instruction == nullptr || (before.bytes & now.bytes) == 0) return;
  if (IsRead(before.kind) && IsRead(now.kind)) return;
  if (AreRelaxed(before.kind, now.kind)) return;
  const bool of_block =
      before.kind == AccessKind::kAtomicOfBlock || now.kind == AccessKind::kAtomicOfBlock;
  const bool atomic = IsAtomic(before.kind) && IsAtomic(now.kind);
  if (atomic && (!of_block || before.block == now.block)) return;
  if (Ordered(before, now, word)) return;
  if (!reported_.insert({before.instruction, now.instruction}).second) return;
  const SourceLine here = LineOf(now.instruction), there = LineOf(before.instruction);
  const auto verb = [](AccessKind kind) {
    return IsRead(kind) ? "reads" : IsAtomic(kind) ? "atomically updates" : "writes";
  };
  const bool same_block = before.block == now.block;
  Log().AddFinding({"race", same_block ? "within_block" : "between_blocks",
                    std::string("a thread ") + verb(now.kind) + " what another thread of " +
                        (same_block ? "its block " : "another block ") + verb(before.kind) +
                        " in line " + std::to_string(there.line) + ", and nothing orders the two" +
                        (atomic ? ": one of them is atomic only within its block" : ""),
                    here.file, here.line});
}

// `write`: the last one of the word that an atomic, or a volatile load, reads now.
void RaceDetector::CheckRelaxed(const Access& write, const Access& now) {
  if (!IsRelaxedWrite(write.kind) || write.block == now.block) return;
  const auto known = flags_.find(write.block);
  if (known != flags_.end()) {
    const Flag& flag = known->second;
    const bool follows = flag.read.thread == now.thread || flag.read.barriers < now.barriers;
    if (follows && flag.write.order > write.order && flag.read.instruction != now.instruction &&
        !publications_.Visible(write) &&
        reported_.insert({write.instruction, now.instruction}).second) {
      const SourceLine here = LineOf(now.instruction);
      Log().AddFinding({"race", "between_blocks",
                        "a thread reads what another block has written in line " +
                            std::to_string(LineOf(write.instruction).line) +
                            ", after it has read in line " +
                            std::to_string(LineOf(flag.read.instruction).line) +
                            " what that block wrote later: atomics and volatile accesses are "
                            "relaxed, and without a "
                            "__threadfence() between the two the later one may be seen first",
                        here.file, here.line});
    }
  }
  flags_[write.block] = {write, now};
}

void RaceDetector::OnReadOnlyLoad(const void* address, std::size_t size, Site site) {
  ForEachWord(address, size, [&](std::uint64_t word, std::uint8_t bytes) {
    const Access& write = words_[word].write;
    if (write.instruction == nullptr || (write.bytes & bytes) == 0) return;
    if (!reported_.insert({write.instruction, site.file}).second) return;
    Log().AddFinding({"undefined_behaviour", "read_only_load",
                      "a thread loads through the read-only cache what line " +
                          std::to_string(LineOf(write.instruction).line) +
                          " has written in the same launch",
                      site.file, site.line});
  });
}

// Reports reads of shared memory that was not written since the block began. An atomic update
// counts as a read too.
void RaceDetector::CheckWritten(Word* word, const Access& now) {
  const unsigned written = word->written_in == now.block ? word->written : 0;
  if (now.kind != AccessKind::kRead) {
    word->written = static_cast<std::uint8_t>(written | now.bytes);
    word->written_in = now.block;
  }
  if (now.kind == AccessKind::kWrite || (now.bytes & ~written) == 0) return;
  if (!reported_.insert({now.instruction, nullptr}).second) return;
  const SourceLine line = LineOf(now.instruction);
  Log().AddFinding({"undefined_behaviour", "uninitialized_shared",
                    "a thread reads shared memory that no thread of its block has written",
                    line.file, line.line});
}

void RaceDetector::OnWord(std::uint64_t number, const Access& now, bool shared) {
  Word& word = words_[number];
  if (shared) {
    // Each block has its own shared memory, although at the same address.
    for (Access* access : {&word.write, &word.reads[0], &word.reads[1]}) {
      if (access->block != now.block) *access = Access();
    }
    CheckWritten(&word, now);
  }
  Check(word.write, now, number);
  if (IsRelaxedRead(now.kind) && !shared) CheckRelaxed(word.write, now);
  if (IsRead(now.kind)) {
    // Two reads are kept. A read by the thread of the first entry replaces the first; a read by
    // another thread of the block replaces the second.
    Access& first = word.reads[0];
    const bool same = first.instruction == nullptr || first.thread == now.thread;
    (same || first.block != now.block ? first : word.reads[1]) = now;
    return;
  }
  Check(word.reads[0], now, number);
  Check(word.reads[1], now, number);
  word.write = now;
  word.reads[0] = word.reads[1] = Access();
}

void RaceDetector::OnAccess(const void* address, std::size_t size, AccessKind kind,
                            const void* instruction, unsigned thread) {
  const bool shared = IsShared(address);
  if (address != volatile_) volatile_ = nullptr;
  if (volatile_ != nullptr && !shared) kind = VolatileKind(kind);
  Access now{Now(thread), 0, kind, ++order_, instruction};
  if ((IsRelaxedRead(kind) || IsRelaxedWrite(kind)) && !shared) {
    const std::uint64_t word = reinterpret_cast<std::uintptr_t>(address) / kWordBytes;
    used_atomic_ = true;
    if (kind == AccessKind::kVolatileRead) {
      publications_.OnRead(word);
    } else {
      publications_.OnAtomic(word, thread);
    }
  }
  ForEachWord(address, size, [&](std::uint64_t word, std::uint8_t bytes) {
    now.bytes = bytes;
    OnWord(word, now, shared);
  });
}

}  // namespace kernelmill
