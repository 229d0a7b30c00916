// Writes rewards.jsonl and rewards.json of an RFT dataset (stages/reward/round_rewards.h), and
// makes them again for an audit:
//
//   verdicts.jsonl   → the turns of each trajectory (by task, backend and attempt), with rewards
//   files of samples → the log-probs of each turn; with those in reward.policy_log_probs its drift
//   both             → a line for each trajectory with values and masks, and the groups
//
// Answers to repair prompts are in neither, because their prompts are no task's own.
#pragma once

#include <string>

#include "manifests/config.h"
#include "stages/engine/step_context.h"
#include "stages/reward/round_rewards.h"
#include "stages/samples/run_tasks.h"

namespace kernelmill {

// Before answers are judged: whether the file of reward.policy_log_probs can be of these samples,
// as far as that is known without their tasks (CheckPolicyFile()).
Status CheckPolicyLogProbs(const Run& run, const Config& config, const ResolvedSources& sources);

// The rewards of a finished run, whose verdicts.jsonl lies in `folder`.
Result<RoundRewards> RewardsOfRun(const Run& run, const Config& config,
                                  const ResolvedSources& sources, const std::string& folder);
// The rewards that follow from verdicts.jsonl in `folder` and from the drifts that its
// rewards.jsonl states. kCorrupt, with the file, when one of them is damaged.
Result<RoundRewards> RewardsOfFiles(const Config& config, const std::string& folder);

}  // namespace kernelmill
