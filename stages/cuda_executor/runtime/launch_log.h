// The log of launches: a record of each launch, the errors that did not end one (findings), and the
// fault that ended one. The launches and checks of the executor write it; the judge reads it
// through the Python module (python_module.cc) after a candidate ran. It is kept until it is reset,
// as a CUDA context keeps its error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kernelmill/executor.h>

#include "stages/cuda_executor/runtime/access_counts.h"

namespace kernelmill {

struct LaunchRecord {
  std::string kernel, file;
  int line = 0;
  dim3 grid, block;
  std::size_t shared = 0;
  std::uint64_t steps = 0;
  std::optional<AccessCounts> counts;  // Only in builds that count.
  std::uint64_t blocks_run = 0;
  // For sampled launches: the counts of SampledBlocks (launch_sample.h), and whether a block used an
  // atomic operation on memory that other blocks can see.
  std::uint64_t first_block_items = 0, items = 0, items_before = 0, left_pages = 0;
  bool global_atomics = false;
};

// `status` is a status of a verdict (km_cuda gives it as "kind"): "timed_out", "undecided",
// "illegal_address", "crashed", "undefined_behaviour", "unsupported", and in builds with checks
// "out_of_bounds" and "race". `reason` is a more specific name.
struct Fault {
  std::string status, reason, message, file;
  int line = 0;
};

class LaunchLog {
 public:
  void Add(LaunchRecord record);
  // Keeps only the first fault since the last reset.
  void SetFault(Fault fault);
  // Keeps one finding per reason and line.
  void AddFinding(Fault finding);
  // Records a torch operator that runs after a sampled launch, or a function of a vendor library.
  void NoteOperatorBehind(std::string_view name);
  void Reset();

  const std::vector<LaunchRecord>& launches() const { return launches_; }
  std::uint64_t launch_count() const { return launch_count_; }
  const std::optional<Fault>& fault() const { return fault_; }
  const std::vector<Fault>& findings() const { return findings_; }
  const std::set<std::string, std::less<>>& operators_behind() const { return operators_behind_; }

 private:
  std::vector<LaunchRecord> launches_;
  std::uint64_t launch_count_ = 0;
  std::optional<Fault> fault_;
  std::vector<Fault> findings_;
  std::set<std::string, std::less<>> operators_behind_;
};

LaunchLog& Log();

}  // namespace kernelmill
