// Until when the hosts of remotes ask to be left alone. Fetches that run at the same time share
// one, so that a host which refuses one of them for its rate (HTTP 429) is not asked by the others.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Thread-safe.
class HostPauses {
 public:
  using Clock = std::chrono::steady_clock;

  // Nothing is asked of the URL's host before `time`.
  void Extend(const std::string& url, Clock::time_point time);
  // Waits for the end of the host's pause. kInterrupted when the run is asked to stop.
  Status Await(const std::string& url);

 private:
  Clock::time_point EndFor(const std::string& host);

  std::mutex mutex_;
  std::map<std::string, Clock::time_point> ends_;
};

}  // namespace kernelmill
