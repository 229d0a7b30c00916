#include "stages/serve/service_metrics.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace kernelmill {
namespace {

// The physical memory of this process, without the workers.
std::int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// The lines that begin a metric.
std::string Head(std::string_view name, std::string_view type, std::string_view help) {
  return "# HELP " + std::string(name) + ' ' + std::string(help) + "\n# TYPE " + std::string(name) +
         ' ' + std::string(type) + '\n';
}

std::string Gauge(std::string_view name, std::int64_t value, std::string_view help) {
  return Head(name, "gauge", help) + std::string(name) + ' ' + std::to_string(value) + '\n';
}

}  // namespace

void ServiceMetrics::CountResponse(int status) {
  const std::lock_guard lock(mutex_);
  ++responses_[status];
}

void ServiceMetrics::CountVerdict(std::string_view status, bool from_store) {
  const std::lock_guard lock(mutex_);
  ++verdicts_[{std::string(status), from_store}];
}

void ServiceMetrics::CountJudged(double seconds) {
  const std::lock_guard lock(mutex_);
  ++judged_;
  judging_seconds_ += seconds;
}

std::string ServiceMetrics::Text(const JudgingQueue::Load& load, std::size_t connections) const {
  const std::lock_guard lock(mutex_);
  std::string text =
      Head("kernelmill_http_responses_total", "counter", "Responses by HTTP status.");
  for (const auto& [status, count] : responses_) {
    text += "kernelmill_http_responses_total{status=\"" + std::to_string(status) + "\"} " +
            std::to_string(count) + '\n';
  }
  text += Head("kernelmill_verdicts_total", "counter",
               "Verdicts that clients got, by status, and whether the store had them.");
  for (const auto& [kind, count] : verdicts_) {
    text += "kernelmill_verdicts_total{status=\"" + kind.first + "\",source=\"" +
            (kind.second ? "store" : "judged") + "\"} " + std::to_string(count) + '\n';
  }
  text += Head("kernelmill_joined_total", "counter",
               "Requests that waited for the verdict on an equal one.");
  text += "kernelmill_joined_total " + std::to_string(load.joined) + '\n';
  char seconds[64];
  std::snprintf(seconds, sizeof seconds, "%.3f", judging_seconds_);
  text += Head("kernelmill_judging_seconds", "summary", "How long candidates were judged.");
  text += "kernelmill_judging_seconds_sum " + std::string(seconds) + '\n';
  text += "kernelmill_judging_seconds_count " + std::to_string(judged_) + '\n';
  text += Gauge("kernelmill_waiting", static_cast<std::int64_t>(load.waiting),
                "Candidates that wait for a lane.");
  text += Gauge("kernelmill_judging", static_cast<std::int64_t>(load.judging),
                "Candidates that are judged now.");
  text += Gauge("kernelmill_stopping", load.stopping ? 1 : 0,
                "Whether the service stops and begins nothing new.");
  text +=
      Gauge("kernelmill_connections", static_cast<std::int64_t>(connections), "Open connections.");
  text += Gauge("process_resident_memory_bytes", ResidentBytes(),
                "Physical memory of the service, without its workers.");
  return text;
}

}  // namespace kernelmill
