// Everything that nvcc gives to a source without an #include, and cuda_runtime.h.
#pragma once

#include <kernelmill/qualifiers.h>
#include <kernelmill/vector_types.h>
#include <kernelmill/executor.h>
#include <kernelmill/warp.h>
#include <kernelmill/device_math.h>
#include <kernelmill/half.h>
#include <kernelmill/atomics.h>
#include <kernelmill/runtime_api.h>

#include <assert.h>
