// The client of the Python worker (stages/worker/worker.py): one process that has imported torch
// and forks, confined, for each request. Not thread-safe: a lane owns one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// What one request may use. A request that reaches a limit is answered with {"end": "<limit>"}.
struct WorkerLimits {
  // On the clock, without what it computed and what it waited for a processor; in any case no more
  // than ten times as much.
  std::int64_t wall_ms = 60'000;
  std::int64_t cpu_ms = 20'000;  // Rounded up to seconds.
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  std::int64_t output_bytes = 1 << 20;          // Printed.
  std::int64_t flops = 100'000'000'000;         // Of one forward.
  std::int64_t bytes = std::int64_t{32} << 30;  // Moved by one forward.

  // Ten times as much time and output, four times the memory, the same cost.
  WorkerLimits Raised() const;
  Json ToJson() const;
};

struct WorkerOptions {
  // For the worker's environment. ATEN_CPU_CAPABILITY is handed on without being named here.
  std::vector<std::pair<std::string, std::string>> environment;
  // Folders of this machine that are seen inside, read-only, under the same names.
  std::vector<std::string> folders;

  bool operator==(const WorkerOptions&) const = default;
};

class TorchWorker {
 public:
  // Returns once the worker has imported torch and has made one sandbox. kSandbox when the machine
  // refuses, kNotFound when parts are missing, kWorker when it does not come up.
  static Result<TorchWorker> Start(WorkerOptions options = {});
  // Ends the worker and everything under it. So does the end of this process, however it comes.
  ~TorchWorker();
  TorchWorker(TorchWorker&&) noexcept;
  TorchWorker& operator=(TorchWorker&&) noexcept;

  // One request: {"kind": …, "limits": WorkerLimits::ToJson(), …}. The reply is an object with a
  // string "end"; stages/worker/torch_worker/<kind>.py documents the rest. A worker that died is
  // started again, once, and asked again; then kWorker. `files` are open in the process that
  // answers, as descriptors 101, 102, …
  Result<Json> Call(const Json& request, const std::vector<int>& files = {});

  // The worker's first words: "torch", "git", "python". Part of what identifies a tool.
  const Json& versions() const;

 private:
  struct State;
  explicit TorchWorker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
