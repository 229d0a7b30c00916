// What `serve` counts, in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "stages/serve/judging_queue.h"

namespace kernelmill {

class ServiceMetrics {
 public:
  void CountResponse(int status);
  // A verdict that a client got: from the store, or after waiting for a lane.
  void CountVerdict(std::string_view status, bool from_store);
  // A candidate that a lane judged, and how long it took.
  void CountJudged(double seconds);

  std::string Text(const JudgingQueue::Load& load, std::size_t connections) const;

 private:
  mutable std::mutex mutex_;
  std::map<int, std::int64_t> responses_;                          // By status.
  std::map<std::pair<std::string, bool>, std::int64_t> verdicts_;  // By status and source.
  std::int64_t judged_ = 0;
  double judging_seconds_ = 0;
};

}  // namespace kernelmill
