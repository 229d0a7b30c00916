// The formats "verl" and "verl-rl", for verl (trainer_format.h).
#pragma once

#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

TrainerFormat VerlFormat();    // Its SFT trainer, which trains every answer of "messages".
TrainerFormat VerlRlFormat();  // Its RL trainers: "reward_model" and "extra_info" for the reward.

}  // namespace kernelmill
