// The formats "trl" and "trl-rl", for TRL (trainer_format.h).
#pragma once

#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

TrainerFormat TrlFormat();    // SFTTrainer: "prompt" and "completion", each a list of messages.
TrainerFormat TrlRlFormat();  // GRPOTrainer: "prompt", and columns for the reward function.

}  // namespace kernelmill
