// Warp operations in which lanes exchange values.
#include <cstring>
#include <memory>

#include "stages/cuda_executor/runtime/access_observer.h"
#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/execution_options.h"

namespace kernelmill {

WarpMeeting* Block::MeetingOf(Warp* warp, LaneMask mask, WarpOperation operation) {
  WarpMeeting* free = nullptr;
  for (const auto& meeting : warp->meetings) {
    if (meeting->mask == mask && meeting->operation == operation) return meeting.get();
    if (meeting->arrived == 0 && meeting->unread == 0) free = meeting.get();
  }
  if (free == nullptr) {
    warp->meetings.push_back(std::make_unique<WarpMeeting>());
    free = warp->meetings.back().get();
  }
  free->mask = mask;
  free->operation = operation;
  return free;
}

WarpExchange Block::Exchange(WarpOperation operation, LaneMask mask, const void* value,
                             std::size_t size, Site site) {
  Fiber* const self = current_;
  self->site = site;
  Warp& warp = warps_[WarpOf(self->thread)];
  const unsigned lane = LaneOf(self->thread);
  const LaneMask own = LaneMask{1} << lane;
  if (mask == 0xffffffffu || mask == ~0ull) mask = ~LaneMask{0};
  if ((mask & own) == 0) {
    Log().AddFinding({"undefined_behaviour", "lane_outside_mask",
                      "a thread runs this warp operation and is not in its mask", site.file,
                      site.line});
    static WarpExchange alone;
    alignas(16) static unsigned char values[kMaxWarp * kMaxExchange];
    std::memcpy(values + lane * kMaxExchange, value, size);
    alone = {values, own, static_cast<int>(lane)};
    return alone;
  }
  WarpMeeting* const meeting = MeetingOf(&warp, mask, operation);
  const unsigned turn = meeting->turn;
  std::memcpy(meeting->values[turn] + lane * kMaxExchange, value, size);
  meeting->arrived |= own;
  const bool complete = (mask & warp.alive & ~meeting->arrived) == 0;
  if (complete && !as_device_) {
    Complete(meeting, WarpOf(self->thread));
    Spend();
  } else {
    self->waiting = Waiting::kInWarp;
    meeting->waiting.push_back(self);
    // On a device, the lane that arrives last goes on with the others.
    if (complete) Complete(meeting, WarpOf(self->thread));
    SwitchAway();
    --meeting->unread;
  }
  return {meeting->values[turn], meeting->lanes[turn], static_cast<int>(lane)};
}

void Block::Complete(WarpMeeting* meeting, unsigned warp) {
  if (Observer() != nullptr) {
    Observer()->OnWarpMeeting(warp * static_cast<unsigned>(Options().warp_width), meeting->arrived,
                              meeting->operation);
  }
  meeting->lanes[meeting->turn] = meeting->arrived;
  meeting->arrived = 0;
  meeting->turn ^= 1;
  meeting->unread += static_cast<unsigned>(meeting->waiting.size());
  for (Fiber* fiber : meeting->waiting) MakeReady(fiber);
  meeting->waiting.clear();
}

}  // namespace kernelmill
