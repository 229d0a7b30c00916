#include "stages/verify/build/occupancy.h"

#include <cuda_occupancy.h>

#include <optional>
#include <string_view>

namespace kernelmill {
namespace {

// The properties of an A100, compute capability 8.0, from the CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability".
cudaOccDeviceProp Properties() {
  cudaOccDeviceProp device;
  device.computeMajor = 8;
  device.computeMinor = 0;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = 2048;
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = 164 << 10;
  device.numSms = 108;
  device.sharedMemPerBlockOptin = 163 << 10;
  device.reservedSharedMemPerBlock = 1 << 10;
  return device;
}

// "scale<float, 4>" of "ours::scale<float, 4>".
std::string_view WithoutScope(std::string_view kernel) {
  const std::size_t scope = kernel.substr(0, kernel.find('<')).rfind(':');
  return scope == kernel.npos ? kernel : kernel.substr(scope + 1);
}

// "scale" of "ours::scale<float, 4>".
std::string_view BaseName(std::string_view kernel) {
  kernel = WithoutScope(kernel);
  return kernel.substr(0, kernel.find('<'));
}

// "scale<float,4>" of "ours::scale<float, 4>".
std::string InstanceName(std::string_view kernel) {
  std::string name(WithoutScope(kernel));
  std::erase(name, ' ');
  return name;
}

// The instantiations of which the launch may run one: the one that its text names, or all, if it
// names its arguments in other words.
std::vector<const VerdictDeviceKernel*> InstancesOf(const VerdictDevice& device,
                                                    const VerdictLaunch& launch) {
  std::vector<const VerdictDeviceKernel*> all, named;
  for (const VerdictDeviceKernel& kernel : device.kernels) {
    if (BaseName(kernel.kernel) != BaseName(launch.kernel)) continue;
    all.push_back(&kernel);
    if (InstanceName(kernel.kernel) == InstanceName(launch.kernel)) named.push_back(&kernel);
  }
  return named.empty() ? all : named;
}

std::optional<double> Occupancy(const VerdictDeviceKernel& kernel, const VerdictLaunch& launch) {
  const cudaOccDeviceProp device = Properties();
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = device.maxThreadsPerBlock;
  function.numRegs = static_cast<int>(kernel.registers);
  function.sharedSizeBytes = static_cast<std::size_t>(kernel.shared);
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
  function.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(
          &result, &device, &function, &state, static_cast<int>(launch.threads),
          static_cast<std::size_t>(launch.shared)) != CUDA_OCC_SUCCESS) {
    return std::nullopt;
  }
  const std::int64_t warps = (launch.threads + device.warpSize - 1) / device.warpSize;
  const int most = device.maxThreadsPerMultiprocessor / device.warpSize;
  return static_cast<double>(result.activeBlocksPerMultiprocessor * warps) / most;
}

}  // namespace

void SetOccupancy(const VerdictDevice& device, std::vector<VerdictLaunch>* launches) {
  for (VerdictLaunch& launch : *launches) {
    const VerdictDeviceKernel* found = nullptr;
    for (const VerdictDeviceKernel* const kernel : InstancesOf(device, launch)) {
      if (found == nullptr || kernel->registers > found->registers) found = kernel;
    }
    if (found != nullptr && launch.threads > 0) launch.occupancy = Occupancy(*found, launch);
  }
}

std::optional<std::string> RefusalOfLaunch(const VerdictDevice& device,
                                           const std::map<std::size_t, std::int64_t>& bounds,
                                           const VerdictLaunch& launch) {
  const std::string_view name = BaseName(launch.kernel);
  for (const std::string& why : device.unchecked) {
    if (why.starts_with(std::string(name) + ":")) return std::nullopt;
  }
  const std::int64_t most = launch.most_threads;
  const std::string threads = std::to_string(most) + " threads a block";
  std::optional<std::string> refusal;
  for (const VerdictDeviceKernel* const kernel : InstancesOf(device, launch)) {
    refusal.reset();
    const auto bound = bounds.find(static_cast<std::size_t>(kernel - device.kernels.data()));
    if (bound != bounds.end() && most > bound->second) {
      refusal = threads + "; its __launch_bounds__ allow " + std::to_string(bound->second);
    }
    // Shared memory that a multiprocessor lacks is not the registers' fault.
    VerdictLaunch without_shared;
    without_shared.threads = most;
    if (!refusal && most > 0 && Occupancy(*kernel, without_shared) == 0.0) {
      refusal = threads + " with " + std::to_string(kernel->registers) +
                " registers each; a multiprocessor has " +
                std::to_string(Properties().regsPerBlock);
    }
    if (!refusal) return std::nullopt;
  }
  return refusal;
}

}  // namespace kernelmill
