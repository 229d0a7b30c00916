// Compares the outputs of one trial of a candidate with the reference's and describes the first
// difference. Also compares the parameters that both create.
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

// Why the trial is wrong; nothing if it is right. `in_part`: compares a few million elements of each
// output, and no inputs.
std::optional<TrialFault> CompareTrial(const VerifyPolicy& policy, const ReferenceRun& reference,
                                       const CandidateTrial& trial, bool in_part = false);

// The same for a trial of which only the shapes of the outputs are known.
std::optional<TrialFault> CompareShapes(const std::vector<TensorShape>& expected,
                                        const std::vector<TensorShape>& got);

// The first few of the wrong elements.
std::vector<VerdictElement> FirstElements(const TensorValues& expected, const TensorValues& got,
                                          const std::vector<std::int64_t>& wrong);

// Whether all elements of each output of the reference are equal: memory may hold them by chance.
bool IsConstant(const ReferenceTrial& trial);

// One finding for each of the first few parameters of the reference whose values no parameter of
// the candidate has. Parameters are drawn under one seed, so a candidate has to create them in the
// same order.
std::vector<VerdictFinding> CompareParameters(const Json& expected, const Json& got);

}  // namespace kernelmill
