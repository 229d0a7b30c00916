// Implements, for candidates that are compiled for the executor, the runtime's functions that call
// another function: cudaLaunchHostFunc(), cudaStreamAddCallback(), and LaunchByAddress(), to which
// the rewrite (parsers/cuda_rewrite.h) turns calls of cudaLaunchKernel().
#pragma once

#include <tuple>

#include <kernelmill/runtime_api.h>

using cudaStreamCallback_t = void (*)(cudaStream_t stream, cudaError_t status, void* data);

inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  cudaStreamSynchronize(stream);
  function(data);
  return cudaSuccess;
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                         void* data, unsigned) {
  cudaStreamSynchronize(stream);
  function(stream, cudaSuccess, data);
  return cudaSuccess;
}

#ifdef KERNELMILL_CUDA_MODE
template <typename Kernel>
cudaError_t cudaLaunchKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared = 0, cudaStream_t stream = nullptr);
#else
namespace kernelmill {
// The rewrite (parsers/cuda_rewrite.h) turns cudaLaunchKernel(kernel, …) into a call of this
// function. The kernel keeps its type, which tells the types of the arguments behind the pointers.
template <typename... Parameters>
cudaError_t LaunchByAddress(const char* name, Callee callee, void (*kernel)(Parameters...),
                            dim3 grid, dim3 block, void** arguments, std::size_t shared = 0,
                            cudaStream_t stream = nullptr, KM_HERE) {
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    Launch(
        name, callee, Configuration(grid, block, shared, stream),
        [=](auto... values) { kernel(values...); }, km_file,
        km_line)(*static_cast<std::remove_reference_t<Parameters>*>(arguments[kIndex])...);
  }(std::index_sequence_for<Parameters...>());
  return cudaPeekAtLastError();
}
}  // namespace kernelmill
#endif
