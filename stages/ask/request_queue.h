// The requests of a run of `sample` that are still to be sent: which one is next, and when it may
// be sent under the limits per minute, the waits of requests that failed, and pauses that the
// server asks for. Takes the time as an argument, and has no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "stages/ask/pace.h"
#include "stages/ask/prompt_list.h"

namespace kernelmill {

struct QueuedRequest {
  PromptList::Attempts attempts;  // That it is for.
  int failures = 0;
  // Ask for one choice, to see whether the server only minds that there are several.
  bool alone = false;
};

class RequestQueue {
 public:
  using Clock = Pace::Clock;

  RequestQueue(std::int64_t requests_per_minute, std::int64_t tokens_per_minute)
      : requests_(requests_per_minute), tokens_(tokens_per_minute) {}

  void AddLast(QueuedRequest request) { ready_.push_back(request); }
  void AddFirst(QueuedRequest request) { ready_.push_front(request); }
  // To be sent from `time` on.
  void AddAt(Clock::time_point time, QueuedRequest request) { later_.emplace(time, request); }
  // Nothing is sent before `time`.
  void PauseUntil(Clock::time_point time);
  void Clear();

  bool is_empty() const { return ready_.empty() && later_.empty(); }
  // When Take() returns a request; `now` or before if at once. The queue must not be empty.
  Clock::time_point Next() const;
  // The next request, if one may be sent now. The caller tells by Sent() how large it is.
  std::optional<QueuedRequest> Take(Clock::time_point now);
  void Sent(Clock::time_point now, std::int64_t tokens);
  // A request that was sent used so many tokens more, or if negative less, than Sent() was told.
  void CorrectTokens(std::int64_t tokens) { tokens_.Correct(tokens); }

 private:
  std::deque<QueuedRequest> ready_;
  std::multimap<Clock::time_point, QueuedRequest> later_;
  Clock::time_point pause_{};
  Pace requests_, tokens_;
};

}  // namespace kernelmill
