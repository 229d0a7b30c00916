// A sandboxed worker as a process: started, talked to in frames, ended with all its descendants.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

class WorkerProcess {
 public:
  // Runs `command` in a process group of its own; its standard input is the channel, its standard
  // error is kept for LastWords(). It inherits no other descriptor.
  static Result<WorkerProcess> Spawn(const std::vector<std::string>& command);
  WorkerProcess() = default;  // One that has ended.
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  // Frames: a 4-byte big-endian length, then the bytes. kWorker when the process is gone or takes
  // longer than `patience`, kInterrupted as soon as the run is asked to stop.
  // `files` go along: the other end gets descriptors of its own for them. At most 8.
  Status Send(std::string_view frame, const std::vector<int>& files = {});
  Result<std::string> Receive(std::chrono::milliseconds patience);

  // What it wrote to standard error, at most 4 KB. Waits until it has ended.
  std::string LastWords();

 private:
  void End();

  pid_t pid_ = -1;
  int channel_ = -1;
  int errors_ = -1;
};

}  // namespace kernelmill
