// The format "resampled": the rows of the export "jsonl", drawn by their weight, for any trainer
// (trainer_format.h).
#pragma once

#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

TrainerFormat ResampledFormat();

}  // namespace kernelmill
