// The format "swift", for ms-swift (trainer_format.h), the one trainer that takes a weight.
#pragma once

#include "stages/pack/trainers/trainer_format.h"

namespace kernelmill {

TrainerFormat SwiftFormat();

}  // namespace kernelmill
