// The format "prompts": requests for samples (sampling_request.h), for servers (trainer_format.h).
#pragma once

#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

TrainerFormat PromptsFormat();

}  // namespace kernelmill
