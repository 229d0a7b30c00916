#include "stages/fetch/host_pauses.h"

#include <algorithm>

#include "stages/engine/interrupt.h"
#include "stages/fetch/source_spec.h"

namespace kernelmill {
namespace {

std::string HostOf(const std::string& url) {
  const std::string plain = WithoutCredentials(url);
  return plain.substr(0, PathOfUrl(plain));
}

}  // namespace

void HostPauses::Extend(const std::string& url, Clock::time_point time) {
  const std::lock_guard lock(mutex_);
  Clock::time_point& end = ends_[HostOf(url)];
  end = std::max(end, time);
}

Status HostPauses::Await(const std::string& url) {
  const std::string host = HostOf(url);
  for (;;) {
    const auto left = EndFor(host) - Clock::now();
    if (left <= Clock::duration::zero()) return Status::Ok();
    if (Pause(std::chrono::ceil<std::chrono::milliseconds>(left)) == Waited::kInterrupted) {
      return InterruptedStatus();
    }
  }
}

HostPauses::Clock::time_point HostPauses::EndFor(const std::string& host) {
  const std::lock_guard lock(mutex_);
  const auto found = ends_.find(host);
  return found == ends_.end() ? Clock::time_point() : found->second;
}

}  // namespace kernelmill
