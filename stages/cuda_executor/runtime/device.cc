// Implements the CUDA runtime's functions for errors, device properties and other queries of the
// one simulated device.
#include <algorithm>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/device_state.h"

namespace kernelmill {

DeviceState& Device() {
  static DeviceState state;
  return state;
}

cudaError_t AllowDynamicShared(const void* kernel, int bytes) {
  const cudaDeviceProp properties;
  if (bytes < 0 || static_cast<std::size_t>(bytes) > properties.sharedMemPerBlockOptin) {
    return Device().last_error = cudaErrorInvalidValue;
  }
  Device().dynamic_shared[kernel] = bytes;
  return cudaSuccess;
}

std::size_t DynamicSharedLimit(Callee kernel) {
  int most = static_cast<int>(cudaDeviceProp().sharedMemPerBlock);
  for (const auto& [function, bytes] : Device().dynamic_shared) {
    if (kernel.function == nullptr || kernel.function == function) most = std::max(most, bytes);
  }
  return static_cast<std::size_t>(most);
}

// Devices that run the same code differ in it: 108 in an A100, 132 in an H100, 188 in an RTX PRO 6000.
// So builds that check accesses have the most, and buffers for fewer are too small there.
int MultiprocessorCount() {
#if defined(KERNELMILL_CHECK_MEMORY) || defined(KERNELMILL_CHECK_RACES)
  return 188;
#else
  return 108;
#endif
}

int BlocksPerMultiprocessor(int block_size, std::size_t dynamic_shared) {
  if (block_size < 1 || block_size > 1024) return 0;
  const cudaDeviceProp properties;
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
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = cudaDeviceProp();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const cudaDeviceProp properties;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxBlockDimX:
      *value = properties.maxThreadsDim[0];
      break;
    case cudaDevAttrMaxBlockDimY:
      *value = properties.maxThreadsDim[1];
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = properties.maxThreadsDim[2];
      break;
    case cudaDevAttrMaxGridDimX:
      *value = properties.maxGridSize[0];
      break;
    case cudaDevAttrMaxGridDimY:
      *value = properties.maxGridSize[1];
      break;
    case cudaDevAttrMaxGridDimZ:
      *value = properties.maxGridSize[2];
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = properties.regsPerBlock;
      break;
    case cudaDevAttrClockRate:
      *value = properties.clockRate;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrL2CacheSize:
      *value = properties.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = properties.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = properties.cooperativeLaunch;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(properties.sharedMemPerBlockOptin);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}
}
