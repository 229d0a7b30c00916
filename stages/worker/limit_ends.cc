#include "stages/worker/limit_ends.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace kernelmill {
namespace {

std::atomic<std::int64_t> ends = 0;

}  // namespace

std::int64_t LimitEnds() { return ends; }

void NoteEnd(std::string_view end) {
  constexpr std::array<std::string_view, 3> kLimits = {"killed", "memory_limit", "time_limit"};
  if (std::find(kLimits.begin(), kLimits.end(), end) != kLimits.end()) ++ends;
}

}  // namespace kernelmill
