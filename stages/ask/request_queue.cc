#include "stages/ask/request_queue.h"

#include <algorithm>

namespace kernelmill {

void RequestQueue::PauseUntil(Clock::time_point time) { pause_ = std::max(pause_, time); }

void RequestQueue::Clear() {
  ready_.clear();
  later_.clear();
}

RequestQueue::Clock::time_point RequestQueue::Next() const {
  const Clock::time_point first = ready_.empty() ? later_.begin()->first : Clock::time_point{};
  return std::max({first, pause_, requests_.Next(), tokens_.Next()});
}

std::optional<QueuedRequest> RequestQueue::Take(Clock::time_point now) {
  if (is_empty() || Next() > now) return std::nullopt;
  QueuedRequest request;
  // Requests that failed go first, so that prompts are finished in order.
  if (!later_.empty() && later_.begin()->first <= now) {
    request = later_.begin()->second;
    later_.erase(later_.begin());
  } else {
    request = ready_.front();
    ready_.pop_front();
  }
  return request;
}

void RequestQueue::Sent(Clock::time_point now, std::int64_t tokens) {
  requests_.Use(now, 1);
  tokens_.Use(now, tokens);
}

}  // namespace kernelmill
