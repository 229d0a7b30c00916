// What launches did: a record of each, what is wrong but ended nothing, and the fault that ended
// one. Kept until it is reset, as a CUDA context keeps its error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kernelmill/executor.h>

#include "stages/verify/cpu_cuda/runtime/access_counts.h"

namespace kernelmill {

struct LaunchRecord {
  std::string kernel, file;
  int line = 0;
  dim3 grid, block;
  std::size_t shared = 0;
  std::uint64_t steps = 0;
  std::optional<AccessCounts> counts;  // In builds that count.
};

// `kind` is a status of the verifier: "timed_out", "undecided", "illegal_address", "crashed",
// "undefined_behaviour", "unsupported". `reason` says more closely what it was.
struct Fault {
  std::string kind, reason, message, file;
  int line = 0;
};

class LaunchLog {
 public:
  void Add(LaunchRecord record);
  // The first fault since the last reset stays.
  void SetFault(Fault fault);
  // One finding a reason and line.
  void AddFinding(Fault finding);
  void Reset();

  const std::vector<LaunchRecord>& launches() const { return launches_; }
  std::uint64_t launch_count() const { return launch_count_; }
  const std::optional<Fault>& fault() const { return fault_; }
  const std::vector<Fault>& findings() const { return findings_; }

 private:
  std::vector<LaunchRecord> launches_;
  std::uint64_t launch_count_ = 0;
  std::optional<Fault> fault_;
  std::vector<Fault> findings_;
};

LaunchLog& Log();

}  // namespace kernelmill
