// Shows on standard error what a command is doing: lines of the caller (Say), and the progress of a
// step (Progress), on a terminal as one line that is rewritten, in a log as one line every 15
// seconds. Run (run.h) shows the progress of each step. Standard output is for results.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "manifests/partition_manifest.h"

namespace kernelmill {

// Prints one line on standard error. Thread-safe.
void Say(const std::string& line);
// The same, but --quiet does not silence it.
void Warn(const std::string& line);
// Silences Say and Progress (--quiet).
void SetQuiet(bool quiet);

class Progress {
 public:
  Progress(std::string step, std::int64_t total, std::int64_t already_done);
  ~Progress();

  // The counts so far of this run of the program; called from one thread at a time.
  void Update(const StepCounts& counts);
  // The step's last line, with all its counts.
  void Finish(const StepCounts& counts);

 private:
  void Show(const StepCounts& counts);

  std::string step_;
  std::int64_t total_;
  std::int64_t already_done_;
  bool on_terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace kernelmill
