// One trial: is what the candidate gave what the reference gives?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/candidate/candidate_run.h"
#include "stages/verify/legality/policy.h"
#include "stages/verify/reference/reference_runs.h"

namespace kernelmill {

struct TrialFault {
  std::string reason;  // Of VerdictStatus::kWrong.
  std::string detail;
  std::optional<VerdictDiagnosis> diagnosis;
};

// Nothing when it is right.
std::optional<TrialFault> CheckTrial(const VerifyPolicy& policy, const ReferenceRun& reference,
                                     const CandidateTrial& trial);

// The first few of the elements that differ.
std::vector<VerdictElement> FirstElements(const TensorValues& expected, const TensorValues& got,
                                          const std::vector<std::int64_t>& wrong);

// Whether every output of the reference holds one value only: then anything could have written it.
bool IsConstant(const ReferenceTrial& trial);

// How the candidate's parameters differ from the reference's, one finding each: an answer has to
// create them in the same order.
std::vector<VerdictFinding> CompareParameters(const Json& expected, const Json& got);

}  // namespace kernelmill
