// The format "llamafactory", for LLaMA-Factory (trainer_format.h).
#pragma once

#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

TrainerFormat LlamaFactoryFormat();

}  // namespace kernelmill
