#include "stages/cuda_executor/runtime/races/publications.h"

#include <algorithm>
#include <utility>

namespace kernelmill {
namespace {

void Raise(Publications::Clocks* clocks, const Publications::Clocks& to) {
  if (clocks->size() < to.size()) clocks->resize(to.size(), 0);
  for (std::size_t i = 0; i < to.size(); ++i) (*clocks)[i] = std::max((*clocks)[i], to[i]);
}

}  // namespace

void Publications::BeginLaunch(unsigned threads, unsigned warp_width) {
  *this = Publications();
  threads_ = threads;
  width_ = warp_width;
  first_learned_.push_back(0);  // Blocks are counted from 1.
}

void Publications::BeginBlock() {
  ++block_;
  first_learned_.push_back(static_cast<std::uint32_t>(learned_.size()));
  if (!used_) return;
  fenced_ = false;
  threads_fenced_.assign(threads_, {});
  block_barriers_ = 0;
  block_clocks_ = nullptr;
  block_snapshot_ = kNone;
  followed_ = learned_.size();
  known_.clear();
}

void Publications::OnFence(const Moment& now, std::span<const std::uint32_t> clocks) {
  if (!used_) threads_fenced_.assign(threads_, {});
  used_ = fenced_ = true;
  threads_fenced_[now.thread] = {now.barriers, Clocks(clocks.begin(), clocks.end()), kNone};
}

void Publications::OnBarrier() {
  if (!fenced_) return;
  fenced_ = false;
  auto all = std::make_shared<Clocks>(block_clocks_ ? *block_clocks_ : Clocks(threads_, 0));
  for (unsigned thread = 0; thread < threads_; ++thread) {
    const unsigned first = thread / width_ * width_;
    const Clocks& clocks = threads_fenced_[thread].clocks;
    for (unsigned lane = 0; lane < clocks.size() && first + lane < threads_; ++lane) {
      std::uint32_t& clock = (*all)[first + lane];
      clock = std::max(clock, clocks[lane]);
    }
    block_barriers_ = std::max(block_barriers_, threads_fenced_[thread].barriers);
  }
  threads_fenced_.assign(threads_, {});
  block_clocks_ = std::move(all);
  block_snapshot_ = kNone;
}

void Publications::OnWarpSync(unsigned first, LaneMask lanes) {
  if (!fenced_) return;
  Fenced joined;
  const auto each = [&](auto use) {
    for (unsigned lane = 0; lane < width_ && first + lane < threads_; ++lane) {
      if ((lanes >> lane) & 1) use(threads_fenced_[first + lane]);
    }
  };
  each([&](const Fenced& fenced) {
    joined.barriers = std::max(joined.barriers, fenced.barriers);
    Raise(&joined.clocks, fenced.clocks);
  });
  each([&](Fenced& fenced) { fenced = joined; });
}

std::uint32_t Publications::SnapshotOf(unsigned thread) {
  Fenced& fenced = threads_fenced_[thread];
  const bool own = !fenced.clocks.empty();
  if (!own && block_clocks_ == nullptr) return kNone;
  std::uint32_t& snapshot = own ? fenced.snapshot : block_snapshot_;
  if (snapshot == kNone) {
    snapshot = static_cast<std::uint32_t>(snapshots_.size());
    snapshots_.push_back({std::max(fenced.barriers, block_barriers_), block_clocks_, fenced.clocks,
                          thread / width_ * width_});
  }
  return snapshot;
}

void Publications::OnAtomic(std::uint64_t address, unsigned thread) {
  if (!used_) return;
  OnRead(address);
  const std::uint32_t snapshot = SnapshotOf(thread);
  if (snapshot == kNone) return;
  std::uint32_t& newest = newest_.try_emplace(address, kNone).first->second;
  if (newest != kNone && publications_[newest].block == block_ &&
      publications_[newest].snapshot == snapshot) {
    return;
  }
  publications_.push_back(
      {block_, snapshot, newest, static_cast<std::uint32_t>(learned_.size()), block_});
  newest = static_cast<std::uint32_t>(publications_.size() - 1);
}

bool Publications::OnRead(std::uint64_t address) {
  const auto newest = newest_.find(address);
  if (newest == newest_.end()) return false;
  Publication& publication = publications_[newest->second];
  if (publication.learned_by != block_) {
    publication.learned_by = block_;
    learned_.push_back(newest->second);
  }
  return true;
}

void Publications::Follow() {
  std::vector<std::uint32_t> next(learned_.begin() + static_cast<std::ptrdiff_t>(followed_),
                                  learned_.end());
  followed_ = learned_.size();
  const auto meet = [&](std::uint32_t number) {
    if (number == kNone || publications_[number].learned_by == block_) return;
    publications_[number].learned_by = block_;
    next.push_back(number);
  };
  while (!next.empty()) {
    const Publication& publication = publications_[next.back()];
    next.pop_back();
    Known& known = known_[publication.block];
    if (known.snapshots.empty() || known.snapshots.back() != publication.snapshot) {
      known.snapshots.push_back(publication.snapshot);
    }
    meet(publication.earlier);
    known.learned = std::max(known.learned, first_learned_[publication.block]);
    for (; known.learned < publication.learned; ++known.learned) meet(learned_[known.learned]);
  }
}

bool Publications::Visible(const Moment& before) {
  if (!used_) return false;
  if (followed_ < learned_.size()) Follow();
  const auto known = known_.find(before.block);
  if (known == known_.end()) return false;
  const auto covers = [&](std::uint32_t number) {
    const Snapshot& snapshot = snapshots_[number];
    if (before.barriers < snapshot.barriers) return true;
    if (snapshot.block != nullptr && (*snapshot.block)[before.thread] >= before.clock) return true;
    const unsigned lane = before.thread - snapshot.first;
    return before.thread >= snapshot.first && lane < snapshot.warp.size() &&
           snapshot.warp[lane] >= before.clock;
  };
  const auto& snapshots = known->second.snapshots;
  return std::any_of(snapshots.begin(), snapshots.end(), covers);
}

}  // namespace kernelmill
