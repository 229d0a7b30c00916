#include "stages/queue/worker_name.h"

#include <unistd.h>

#include <charconv>
#include <chrono>

#include "stages/engine/host_name.h"

namespace kernelmill {

std::string WorkerName::OfThisProcess() {
  return HostName() + "/" + std::to_string(getpid()) + "/" +
         std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
}

std::optional<WorkerName> WorkerName::Parse(const std::string& name) {
  const std::size_t start = name.rfind('/');
  const std::size_t pid = start == 0 || start == name.npos ? name.npos : name.rfind('/', start - 1);
  if (pid == name.npos || pid == 0) return std::nullopt;
  WorkerName worker;
  worker.host = name.substr(0, pid);
  const auto [end, error] = std::from_chars(name.data() + pid + 1, name.data() + start, worker.pid);
  if (error != std::errc() || end != name.data() + start) return std::nullopt;
  return worker;
}

}  // namespace kernelmill
