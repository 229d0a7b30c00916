// The state of the simulated device that a candidate's host code can query or change with the
// runtime's API (cudaGetLastError(), cudaFuncSetAttribute()): the last error and the limit on
// dynamic shared memory. There is one device, so `device` is always 0.
#pragma once

#include <kernelmill/runtime_api.h>

namespace kernelmill {

struct DeviceState {
  cudaError_t last_error = cudaSuccess;
  // The most bytes of dynamic shared memory per launch; raised by cudaFuncSetAttribute().
  int dynamic_shared_limit = 48 << 10;
  int device = 0;
};
DeviceState& Device();

}  // namespace kernelmill
