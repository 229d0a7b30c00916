// Keeps to a limit per minute, of requests or of tokens: says when the next request may be sent.
// What is used is spread evenly, so that no minute holds more than the limit and one request.
#pragma once

#include <chrono>
#include <cstdint>

namespace kernelmill {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // Without a limit (0), the next request may always be sent.
  explicit Pace(std::int64_t per_minute) : per_minute_(per_minute) {}

  // When the next request may be sent; not after `now` if it may be sent at once.
  Clock::time_point Next() const { return next_; }
  // A request of this size is sent.
  void Use(Clock::time_point now, std::int64_t amount);
  // A request used so much more, or if negative less, than Use() was told.
  void Correct(std::int64_t amount);

 private:
  Clock::duration TimeOf(std::int64_t amount) const;

  std::int64_t per_minute_;
  Clock::time_point next_{};
};

}  // namespace kernelmill
