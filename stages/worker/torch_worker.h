// The client of the Python worker (stages/worker/worker.py), a process that has imported torch and
// answers each request in a confined fork of itself. "admit" runs tasks with it, capture reads
// their graphs, and judges run references and candidates.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// The limits of one request. The reply to a request that reaches a limit is {"end": "<limit>"}.
struct WorkerLimits {
  // Milliseconds in which the request neither computes nor waits for a processor. The elapsed time
  // is limited to ten times as long. In JSON it is "wall_ms": that name is part of the parameters
  // of the step `admit`, whose digest stands in every record that it made.
  std::int64_t idle_ms = 60'000;
  std::int64_t cpu_ms = 20'000;  // Rounded up to seconds.
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  std::int64_t output_bytes = 1 << 20;          // Of printed text.
  std::int64_t flops = 100'000'000'000;         // Of one forward().
  std::int64_t bytes = std::int64_t{32} << 30;  // Moved by one forward().

  // Limits with ten times the time and output, four times the memory, and the same cost.
  WorkerLimits Raised() const;
  Json ToJson() const;
};

struct WorkerOptions {
  // Added to the worker's environment. ATEN_CPU_CAPABILITY is always passed on.
  std::vector<std::pair<std::string, std::string>> environment;
  // Folders of this machine that the worker sees, read-only, at InsideWorker() (sandbox.h).
  std::vector<std::string> folders;

  bool operator==(const WorkerOptions&) const = default;
};

// Not thread-safe: each lane owns one.
class TorchWorker {
 public:
  // Returns once the worker has imported torch and created one sandbox. kSandbox when the machine
  // refuses sandboxes, kEnvironment when parts are missing, kWorker when the machine has too little
  // for a worker or something ends it again and again.
  static Result<TorchWorker> Start(WorkerOptions options = {});
  // Ends the worker and its descendants, which also end whenever this process does.
  ~TorchWorker();
  TorchWorker(TorchWorker&&) noexcept;
  TorchWorker& operator=(TorchWorker&&) noexcept;

  // Sends one request, {"kind": …, "limits": WorkerLimits::ToJson(), …}, and waits for the reply:
  // an object with a string "end"; stages/worker/torch_worker/requests documents the rest. An end
  // that neither the request nor a limit of ours brought about is no reply: a fresh worker is asked
  // again, up to four times in all, and then it is kWorker, which says nothing about the request.
  // The process that answers has `files` open as descriptors 101, 102, …
  Result<Json> Call(const Json& request, const std::vector<int>& files = {});

  // The versions of "torch" (with its commit as "git") and "python". They are part of the tool's
  // identity.
  const Json& versions() const;

 private:
  struct State;
  explicit TorchWorker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
