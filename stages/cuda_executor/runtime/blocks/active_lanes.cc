// Which lanes of a warp execute a call of __activemask() together.
//
// A device runs the two sides of a branch apart, so lanes are together only if the same calls have led
// them here: a function that both sides call is entered by each side for itself. Lanes of the same
// calls are taken for together wherever they come from, although a device need not have brought them
// together again.
#include <unwind.h>

#include <map>
#include <utility>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/block.h"

namespace kernelmill {
namespace {

struct CallPath {
  std::uintptr_t end;  // The stack of a thread's function ends here.
  std::uint64_t hash = 0;
};

_Unwind_Reason_Code AddCall(_Unwind_Context* call, void* to) {
  CallPath& path = *static_cast<CallPath*>(to);
  if (_Unwind_GetCFA(call) >= path.end) return _URC_END_OF_STACK;
  path.hash = MixedBits(path.hash + _Unwind_GetIP(call));
  return _URC_NO_REASON;
}

}  // namespace

LaneMask Block::ActiveLanes(Site site) {
  Fiber* const self = current_;
  self->site = site;
  self->waiting = Waiting::kForCompany;
  CallPath path{reinterpret_cast<std::uintptr_t>(self->first_call)};
  _Unwind_Backtrace(&AddCall, &path);
  self->calls = path.hash;
  gathering_.push_back(self);
  SwitchAway();
  return self->company;
}

void Block::EndGathering() {
  std::map<std::pair<unsigned, std::uint64_t>, LaneMask> together;
  const auto place = [](const Fiber* fiber) {
    return std::pair(WarpOf(fiber->thread), fiber->calls);
  };
  for (const Fiber* fiber : gathering_) {
    together[place(fiber)] |= LaneMask{1} << LaneOf(fiber->thread);
  }
  for (Fiber* fiber : gathering_) {
    const LaneMask lanes = together[place(fiber)];
    fiber->company = lanes;
    // A device need not run all lanes of a branch together.
    if (as_device_ && lanes != warps_[WarpOf(fiber->thread)].alive) {
      const LaneMask group = MixedBits(seed_ + fiber->calls) | 1;
      const bool first = (group >> LaneOf(fiber->thread) & 1) != 0;
      fiber->company = lanes & (first ? group : ~group);
    }
    MakeReady(fiber);
  }
  gathering_.clear();
}

}  // namespace kernelmill
