// Compares one trial of a candidate with the reference's, and describes the first difference.
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
  std::string reason;  // A reason of VerdictStatus::kWrong.
  std::string detail;
  std::optional<VerdictDiagnosis> diagnosis;
};

// Why the trial is wrong; nothing if it is right.
std::optional<TrialFault> CompareTrial(const VerifyPolicy& policy, const ReferenceRun& reference,
                                       const CandidateTrial& trial);

// The first few of the wrong elements.
std::vector<VerdictElement> FirstElements(const TensorValues& expected, const TensorValues& got,
                                          const std::vector<std::int64_t>& wrong);

// Whether every output of the reference holds a single value, which memory may hold by chance.
bool IsConstant(const ReferenceTrial& trial);

// The differences between the candidate's parameters and the reference's, one finding each. A
// candidate has to create its parameters in the same order.
std::vector<VerdictFinding> CompareParameters(const Json& expected, const Json& got);

}  // namespace kernelmill
