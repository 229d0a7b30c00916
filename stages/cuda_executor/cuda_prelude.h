// The executor's headers that extensions include in place of CUDA's and of torch/extension.h, as
// one precompiled header. CudaToolchain (stages/verify/build/cuda_toolchain.h) compiles it once per
// kind of build, on top of torch_prelude.h; every extension is compiled with it.
#pragma once

#include <kernelmill/cooperative_groups.h>
#include <kernelmill/torch_cuda.h>
#include <kernelmill/torch_extension.h>
#include <math_constants.h>
