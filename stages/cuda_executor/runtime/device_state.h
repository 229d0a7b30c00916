// What the host sees of the device: its last error and what it allows.
#pragma once

#include <kernelmill/runtime_api.h>

namespace kernelmill {

struct DeviceState {
  cudaError_t last_error = cudaSuccess;
  // Bytes that a launch may ask for; raised by cudaFuncSetAttribute.
  int dynamic_shared_limit = 48 << 10;
  int device = 0;
};
DeviceState& Device();

}  // namespace kernelmill
