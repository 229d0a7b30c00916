#include "stages/ask/pace.h"

#include <algorithm>

namespace kernelmill {

Pace::Clock::duration Pace::TimeOf(std::int64_t amount) const {
  const std::chrono::duration<double> time(60.0 * static_cast<double>(amount) /
                                           static_cast<double>(per_minute_));
  return std::chrono::duration_cast<Clock::duration>(time);
}

void Pace::Use(Clock::time_point now, std::int64_t amount) {
  if (per_minute_ > 0) next_ = std::max(next_, now) + TimeOf(amount);
}

void Pace::Correct(std::int64_t amount) {
  if (per_minute_ > 0) next_ += TimeOf(amount);
}

}  // namespace kernelmill
