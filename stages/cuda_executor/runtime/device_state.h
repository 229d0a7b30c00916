// The state of the simulated device that a candidate's host code can query or change with the
// runtime's API (cudaGetLastError(), cudaFuncSetAttribute()): the last error and the limits on
// dynamic shared memory. There is one device, so `device` is always 0.
#pragma once

#include <map>

#include <kernelmill/runtime_api.h>

namespace kernelmill {

struct DeviceState {
  cudaError_t last_error = cudaSuccess;
  // By the kernel's address: the bytes of dynamic shared memory that cudaFuncSetAttribute() allows.
  std::map<const void*, int> dynamic_shared;
  int device = 0;
  std::size_t stack = 1024;  // What StackLimit() says.
};
DeviceState& Device();

// The bytes that the runtime's functions have allocated and that nobody has freed (memory.cc).
std::size_t BytesHeld();

// The most bytes of dynamic shared memory that a launch of the kernel may have. Where the kernel is
// not known, those that any kernel may have.
std::size_t DynamicSharedLimit(Callee kernel);

}  // namespace kernelmill
