// How far the policy that is trained has drifted from the model that wrote the samples, from two
// sets of log-probs of the same responses (stages/drift/token_drift.h): those in the files of
// samples, and those of the policy.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stages/reward/reward_options.h"
#include "stages/samples/run_tasks.h"
#include "stages/samples/sample_source.h"

namespace kernelmill {

// A sample by the SHA-256 of its line, and its position among the samples and problems of the line.
using DriftPlace = std::pair<std::string, std::int64_t>;

struct DriftFiles {
  const std::vector<SampleSource>& rollouts;
  const SampleSource& policy;
  const RunTasks& tasks;  // That both name.
  std::string backend;    // Of samples that name none.
};

// A drift for each sample of a known task. A line of the policy belongs to every sample with the
// same task, backend, turn, repair prompt, message and reasoning, whatever its attempt, model and
// sampling parameters; of several such lines, one counts, chosen by its log-probs. A sample without
// one has the problem kLogProbsAbsent. kConfig when the policy's file has a malformed line, and
// when no line of it is about a sample. Log-probs are sorted in an unnamed file in `scratch`;
// memory grows with the samples, but not with their tokens.
Result<std::map<DriftPlace, TokenDrift>> DriftsOf(const DriftFiles& files,
                                                  const RewardOptions& options,
                                                  const std::string& scratch);

// What can be said of the files before the tasks of the run are known: kConfig when the policy's
// file has a malformed line, when no response in it has the backend, turn, repair prompt and text
// of a sample, and when `options.calibrate` asks for a drift and none can be computed.
Status CheckPolicyFile(const std::vector<SampleSource>& rollouts, const SampleSource& policy,
                       const std::string& backend, const RewardOptions& options,
                       const std::string& scratch);

}  // namespace kernelmill
