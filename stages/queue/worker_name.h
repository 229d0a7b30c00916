// The name of a worker in its Redis server, which remembers under it what the worker has taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernelmill {

struct WorkerName {
  std::string host;
  std::int64_t pid = 0;

  // "HOST/PID/START". The start keeps apart two processes that had the same number.
  static std::string OfThisProcess();
  // Nothing for a name of another form.
  static std::optional<WorkerName> Parse(const std::string& name);
};

}  // namespace kernelmill
