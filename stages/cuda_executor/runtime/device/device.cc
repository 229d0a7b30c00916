// Implements the CUDA runtime's functions for errors, the current device, and the blocks and the shared
// memory that it has room for.
#include <algorithm>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/device/device_properties.h"
#include "stages/cuda_executor/runtime/device_state.h"

namespace kernelmill {

DeviceState& Device() {
  static DeviceState state;
  return state;
}

cudaError_t AllowDynamicShared(const void* kernel, int bytes) {
  const cudaDeviceProp& properties = DeviceProperties();
  if (bytes < 0 || static_cast<std::size_t>(bytes) > properties.sharedMemPerBlockOptin) {
    return Device().last_error = cudaErrorInvalidValue;
  }
  Device().dynamic_shared[kernel] = bytes;
  return cudaSuccess;
}

std::size_t DynamicSharedLimit(Callee kernel) {
  int most = static_cast<int>(DeviceProperties().sharedMemPerBlock);
  for (const auto& [function, bytes] : Device().dynamic_shared) {
    if (kernel.function == nullptr || kernel.function == function) most = std::max(most, bytes);
  }
  return static_cast<std::size_t>(most);
}

int BlocksPerMultiprocessor(int block_size, std::size_t dynamic_shared) {
  if (block_size < 1 || block_size > 1024) return 0;
  const cudaDeviceProp& properties = DeviceProperties();
  int blocks = std::min(properties.maxThreadsPerMultiProcessor / ((block_size + 31) / 32 * 32),
                        properties.maxBlocksPerMultiProcessor);
  if (dynamic_shared > 0) {
    blocks =
        std::min(blocks, static_cast<int>(properties.sharedMemPerMultiprocessor /
                                          (dynamic_shared + properties.reservedSharedMemPerBlock)));
  }
  return blocks;
}

}  // namespace kernelmill

using kernelmill::Device;

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = Device().last_error;
  // The error of a kernel is sticky, because the context is lost.
  if (error != cudaErrorLaunchFailure) Device().last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return Device().last_error; }

cudaError_t cudaGetDevice(int* device) {
  *device = Device().device;
  return cudaSuccess;
}
// -1 is allowed because a CPU tensor's get_device() returns it.
cudaError_t cudaSetDevice(int device) {
  return device == 0 || device == -1 ? cudaSuccess : (Device().last_error = cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
}
