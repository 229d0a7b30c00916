// What limits one call of an answer at the task's own sizes: the time of its launches, a grid that
// is too small for the device, memory bandwidth or arithmetic. Analyses (performance_findings.h)
// give one verdict and the advice that fits it, and generators/grounding/ compares both with this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "generators/reasoning/known_device.h"

namespace kernelmill {

enum class Limit {
  kLaunch,         // The work takes less time than its launches.
  kLaunchAndWork,  // It takes about as long as its launches.
  kFewBlocks,      // Its grid leaves most of the device idle.
  kMemory,
  kCompute,
  kCache,   // What the warps request takes the L2 cache longer than memory and arithmetic take.
  kShared,  // So do the passes through shared memory.
};

struct CallLimit {
  Limit limit = Limit::kLaunch;
  bool arithmetic = false;  // The FLOPs take longer than the bytes, at the device's peak rates.
  bool balanced = false;    // Both take about equally long.
  // A contraction whose threads have one result each loads its operands again for each result.
  bool poor_reuse = false;
  std::int64_t launches = 0;
  // The least microseconds of all requested sectors at the L2 cache, and of all passes through
  // shared memory; 0 where they were not counted at these sizes, or the device's rates are unknown.
  double cache = 0, shared = 0;
  bool by_level = false;  // One of them is clearly longer than the bytes and the FLOPs.
  // kShared was decided by a run at smaller sizes, of which `shared` is the time then.
  bool of_smaller_run = false;
  // The kernel with the most traffic and its blocks; 0 where they are not known at these sizes.
  std::string kernel;
  std::int64_t blocks = 0;
};
// `answer` has at least one planned byte. `facts`: of its task, from which the blocks of a
// reduction follow where they were not counted; null where no more than the counters is to count.
// Without a device: on the first one of the backend.
CallLimit LimitOf(const Candidate& answer, const Annotation* facts, const KnownDevice& device);
inline CallLimit LimitOf(const Candidate& answer, const Annotation* facts) {
  return LimitOf(answer, facts, KnownDeviceOf(answer.backend));
}

// Whether each thread of the contraction computes a result by itself.
bool HasLoopsOfTheDefinition(const DesignedKernel& plan);

// A result of a contraction with so few columns, or channels, that it does not fill a tile of the
// kernel in that direction.
struct NarrowResult {
  std::int64_t size = 0, side = 0;  // Of the result and of the tile; a side of 0: no tile.
  bool channels = false;
};
std::optional<NarrowResult> NarrowResultOf(const Annotation& facts, const DesignedKernel& plan);

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
