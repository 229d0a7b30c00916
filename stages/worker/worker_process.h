// The process of a sandboxed program, for TorchWorker (torch_worker.h) and for what runs answers on
// a device (stages/device/device_process.h): starts it, exchanges frames with it, and ends it with
// all its descendants.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Not thread-safe.
class WorkerProcess {
 public:
  // Starts `command` in a process group of its own. Its standard input is the channel, and its
  // standard error is kept for LastWords(). It inherits no other descriptor.
  static Result<WorkerProcess> Spawn(const std::vector<std::string>& command);
  WorkerProcess() = default;  // A process that has ended.
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  // A frame is a 4-byte big-endian length and then the bytes, at most 64 MB. Both block. kWorker
  // when the process has ended or takes longer than `patience`, kInterrupted when the run is asked
  // to stop. The process gets descriptors of its own for `files`, at most 8.
  Status Send(std::string_view frame, const std::vector<int>& files = {});
  Result<std::string> Receive(std::chrono::milliseconds patience);

  // Ends the process and returns what it wrote to standard error, at most 4 KB.
  std::string LastWords();

 private:
  void End();

  pid_t pid_ = -1;
  int channel_ = -1;
  int errors_ = -1;
};

}  // namespace kernelmill
