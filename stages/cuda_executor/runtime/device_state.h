// The state of the simulated device that host code can query or change: the last error and limits.
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
