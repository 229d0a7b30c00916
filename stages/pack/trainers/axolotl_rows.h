// The format "axolotl", for axolotl (trainer_format.h).
#pragma once

#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

TrainerFormat AxolotlFormat();

}  // namespace kernelmill
