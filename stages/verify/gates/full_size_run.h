// Runs a candidate's host code at the task's own sizes, where all other runs had smaller sizes,
// with its kernels switched off: launches, allocations and checks of sizes that a device or the
// candidate refuses show there. Then, if it has a single launch, runs some blocks of it and
// compares what they write with the reference.
//
// The results of single blocks are those of the whole launch only if no block needs the results of
// another. The runs show this; the source is not read for it. The same blocks run twice, with the
// output filled with two different byte patterns, and have to write the same values both times:
// then no value depends on memory that other blocks should have written first. The executor also
// reports atomic operations on global memory (a counter by which the last block finishes the work)
// and operators of torch that run after the launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/candidate/candidate_run.h"
#include "stages/verify/reference/reference_runs.h"

namespace kernelmill {

struct FullSizeOutcome {
  VerdictFullSize seen;
  // A run without kernels: the operators that run there, and the outputs as they are before the
  // launch.
  CandidateRun without_kernels;
  // Why the candidate ends, if it does.
  std::optional<CandidateFault> fault;
  std::optional<VerdictDiagnosis> diagnosis;
};

// Runs one trial of the candidate with these options of the executor.
using FullSizeRunner =
    std::function<Result<CandidateRun>(const Json::Object& options, const ReferenceRun& reference)>;

// `launches`: how many the first trial at smaller sizes has made; nothing if it did not run to its
// end. `reads_results`: that trial's host code has read values of device memory, which say nothing
// where no kernel has run. The number of blocks that run follows from counted operations, not from
// time, so it is the same on every machine.
Result<FullSizeOutcome> CompareAtFullSize(std::uint64_t seed, std::optional<std::int64_t> launches,
                                          bool reads_results, const FullSizeReference& full,
                                          const FullSizeRunner& run);

}  // namespace kernelmill
