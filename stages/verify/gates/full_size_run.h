// The task's very sizes, where everything else ran at smaller ones: some blocks of the candidate's
// launch, and what they write against the reference.
//
// Blocks alone say what the launch would say where none needs another's results. That is seen, not
// read from the source: the same blocks run over two different fillings of the output. What they
// write has to be the same both times, so that nothing in it comes from memory that other blocks
// were to write first; the executor watches for atomic operations on global memory (a counter by
// which the last block finishes the work), and for operators of torch behind the launch.
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
  // With no kernel run: which operators run there, and what lies in the outputs before the launch.
  CandidateRun untouched;
  // What ends the candidate, if something does.
  std::optional<CandidateFault> fault;
  std::optional<VerdictDiagnosis> diagnosis;
};

// One trial of the candidate, with these options of the executor.
using FullSizeRunner =
    std::function<Result<CandidateRun>(const Json::Object& options, const ReferenceRun& reference)>;

// `launches`: of the first trial at smaller sizes. Steps and blocks are counted: the same on every
// machine. Precision has been judged at smaller sizes: here the rule is ToleranceRule::kLongSums.
Result<FullSizeOutcome> CheckFullSize(std::uint64_t seed,
                                      const std::vector<VerdictLaunch>& launches,
                                      ReferenceRuns* reference, const FullSizeRunner& run);

}  // namespace kernelmill
