// What limits one call of an answer at the task's own sizes: the time of its launches, a grid that
// is too small for the device, memory bandwidth or arithmetic. Analyses (performance_findings.h)
// give one verdict and the advice that fits it, and generators/grounding/ compares both with this.
#pragma once

#include <cstdint>
#include <string>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"

namespace kernelmill {

enum class Limit {
  kLaunch,         // The work takes less time than its launches.
  kLaunchAndWork,  // It takes about as long as its launches.
  kFewBlocks,      // Its grid leaves most of the device idle.
  kMemory,
  kCompute,
};

struct CallLimit {
  Limit limit = Limit::kLaunch;
  bool arithmetic = false;  // The FLOPs take longer than the bytes, at the device's peak rates.
  bool balanced = false;    // Both take about equally long.
  // A contraction whose threads have one result each loads its operands again for each result.
  bool poor_reuse = false;
  std::int64_t launches = 0;
  // The kernel with the most traffic and its blocks; 0 where they are not known at these sizes.
  std::string kernel;
  std::int64_t blocks = 0;
};
// `answer` has at least one planned byte. `facts`: of its task, from which the blocks of a
// reduction follow where they were not counted; null where no more than the counters is to count.
CallLimit LimitOf(const Candidate& answer, const Annotation* facts);

// The blocks of one launch of the kernel at the task's own sizes; 0 when they were not counted.
std::int64_t BlocksOf(const Verdict& verdict, const VerdictLaunch& launch);

// How many blocks of this launch the device runs: what registers and shared memory allow, and what
// the grid has.
enum class Residency {
  kUnknown,  // The blocks at the task's own sizes are not known.
  kIdle,     // There are fewer blocks than multiprocessors.
  kPartly,   // Every multiprocessor has blocks, but fewer than fit.
  kFull,
};
struct Occupancy {
  Residency residency = Residency::kUnknown;
  std::int64_t blocks = 0;
  std::int64_t warps = 0;         // Of a block.
  std::int64_t resident = 0;      // Warps that fit on a multiprocessor.
  double per_multiprocessor = 0;  // Blocks.
};
// `launch.occupancy` is known, and the device is the known one of the backend.
Occupancy OccupancyOf(const Candidate& answer, const VerdictLaunch& launch);

// What an analysis says of it: the grid decides before what registers and shared memory allow.
enum class OccupancyJudgement {
  kNothing,
  kLow,  // Few warps are resident.
  kIdle,
  kPartly,
  kFull,
};
OccupancyJudgement JudgementOf(const VerdictLaunch& launch, const Occupancy& occupancy);

}  // namespace kernelmill
