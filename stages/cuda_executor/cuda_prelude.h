// The executor's headers that extensions include in place of CUDA's, as one precompiled header.
#pragma once

#include <kernelmill/cooperative_groups.h>
#include <kernelmill/torch_cuda.h>
#include <kernelmill/torch_extension.h>
#include <math_constants.h>
