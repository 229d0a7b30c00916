// What extensions include of CUDA and of what stands for it here.
#pragma once

#include <kernelmill/cooperative_groups.h>
#include <kernelmill/torch_cuda.h>
#include <kernelmill/torch_extension.h>
#include <math_constants.h>
