// The phase "reward": what the samples of a round are worth for training on rewards. It is no step,
// because it has no inputs to count: WriteRewards() (stages/recipes/run_rewards.h) writes
// rewards.jsonl and rewards.json beside the verdicts. Its entry for the step table
// (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec RewardSpec();

}  // namespace kernelmill
