// Implements the CUDA runtime's functions for errors, the current device, and the blocks and the shared
// memory that it has room for.
#include <algorithm>
#include <iterator>

#include <kernelmill/split_mix.h>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/device/device_properties.h"
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/execution_options.h"

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

cudaError_t SetStackLimit(std::size_t size) {
  constexpr std::size_t kMost = std::size_t{512} << 10;  // CUDA guide, "local memory per thread".
  if (size > kMost) return Device().last_error = cudaErrorInvalidValue;
  Device().stack = size;
  return cudaSuccess;
}
std::size_t StackLimit() { return Device().stack; }

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

cudaFuncAttributes AttributesOfKernels() {
  constexpr int kRegisters[] = {32, 40, 64, 128, 56, 255, 80, 168};
  constexpr std::size_t kShared[] = {0, 40 << 10, 8 << 10, 20 << 10};
  const std::uint64_t chosen = Options().residency;
  const int registers = kRegisters[chosen % std::size(kRegisters)];
  const std::size_t shared = kShared[chosen / std::size(kRegisters) % std::size(kShared)];
  const int threads = std::min(1024, DeviceProperties().regsPerBlock / registers / 32 * 32);
  constexpr std::size_t kLocal[] = {0, 128, 16, 1032}, kConstant[] = {0, 24, 256, 8};
  const std::uint64_t others = chosen == 0 ? 0 : MixedBits(chosen);
  return {shared,
          kConstant[others / 4 % std::size(kConstant)],
          kLocal[others % std::size(kLocal)],
          threads,
          registers,
          80,
          80,
          48 << 10};
}

int ResidentBlocks(int block_size, std::size_t dynamic_shared) {
  const cudaDeviceProp& properties = DeviceProperties();
  const int blocks = BlocksPerMultiprocessor(block_size, dynamic_shared);
  if (blocks == 0) return 0;
  const cudaFuncAttributes kernel = AttributesOfKernels();
  const std::size_t shared = kernel.sharedSizeBytes + dynamic_shared;
  const int by_registers = properties.regsPerMultiprocessor / (kernel.numRegs * block_size);
  const auto by_shared =
      static_cast<int>(shared == 0 ? static_cast<std::size_t>(blocks)
                                   : properties.sharedMemPerMultiprocessor /
                                         (shared + properties.reservedSharedMemPerBlock));
  // A device runs what it launches.
  return std::max(1, std::min({blocks, by_registers, by_shared}));
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
