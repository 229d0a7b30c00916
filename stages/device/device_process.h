// One process of stages/device/program/answer_program.py, which builds an answer, or runs and times
// it. It runs code that a model wrote, in bubblewrap: without home and network, with one writable
// folder and the nodes of one GPU.
//
// What such a process says is not proof: an answer runs in it. Only answers that the CPU judge has
// found correct, and under "strict" legal, get here.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/worker/worker_process.h"

namespace kernelmill {

// The GPUs of this machine, which a process does not see: at least 1.
std::size_t CountGpus();

struct DeviceProcessOptions {
  std::string headers;   // A folder that it may read, at InsideWorker() (sandbox.h); or empty.
  std::string writable;  // One that it may change; or empty.
  int device = -1;       // The index of the GPU that it sees; -1: none.
};

// Not thread-safe.
class DeviceProcess {
 public:
  // kEnvironment when parts are missing.
  static Result<DeviceProcess> Start(const DeviceProcessOptions& options);

  // Sends a request of answer_program.py, or the go-ahead after "ready", and waits for the frame
  // that answers it. A process that ends without one gives {"state": "failed", "what": "crashed",
  // "detail"}, one that takes longer than `patience` "timed_out" in its place.
  Result<Json> Ask(const Json& request, std::chrono::milliseconds patience);

 private:
  explicit DeviceProcess(WorkerProcess process) : process_(std::move(process)) {}
  WorkerProcess process_;
};

}  // namespace kernelmill
