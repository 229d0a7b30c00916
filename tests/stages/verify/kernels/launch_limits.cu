// Launches that a device rejects, and the errors that it reports.
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void touch_kernel(float* x) {
  const unsigned all = threadIdx.x | threadIdx.y | threadIdx.z | blockIdx.x | blockIdx.y | blockIdx.z;
  if (all == 0) x[0] += 1.0f;
}
__global__ void static_kernel(float* x) {
  __shared__ float s[12 * 1024];
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  if (threadIdx.x == 0) x[0] += s[blockDim.x - 1];
}
__global__ void dynamic_kernel(float* x, int n) {
  extern __shared__ float s[];
  s[n - 1] = 1.0f;
  x[0] += s[n - 1];
}

template <int kTimes>
__global__ void sized_kernel(float* x, int n) {
  extern __shared__ float s[];
  s[n - 1] = kTimes;
  x[0] += s[n - 1];
}

// The error's name, and how often the kernel ran.
std::tuple<std::string, double> launch(torch::Tensor x, std::vector<int64_t> grid,
                                       std::vector<int64_t> block, int64_t shared) {
  x.zero_();
  touch_kernel<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), shared>>>(
      x.data_ptr<float>());
  const cudaError_t peeked = cudaPeekAtLastError(), got = cudaGetLastError();
  TORCH_CHECK(peeked == got && cudaGetLastError() == cudaSuccess, "it stays");
  return {cudaGetErrorName(got), x.item<float>()};
}
std::tuple<std::string, std::string, double> opted_in(torch::Tensor x, int64_t bytes) {
  x.zero_();
  const cudaError_t allowed =
      cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaGetLastError();
  dynamic_kernel<<<1, 1, bytes>>>(x.data_ptr<float>(), bytes / 4);
  const cudaError_t got = cudaGetLastError();
  return {cudaGetErrorName(allowed), cudaGetErrorName(got), x.item<float>()};
}
// What is allowed for sized_kernel<1>, in three ways to write it, is not for sized_kernel<2>.
std::vector<std::string> of_each_kernel(torch::Tensor x, int64_t bytes) {
  const auto kind = cudaFuncAttributeMaxDynamicSharedMemorySize;
  std::vector<std::string> got;
  const auto note = [&] { got.push_back(cudaGetErrorName(cudaGetLastError())); };
  float* const to = x.data_ptr<float>();
  const int n = bytes / 4;
  cudaFuncSetAttribute(sized_kernel<1>, kind, bytes);
  sized_kernel<1><<<1, 1, bytes>>>(to, n), note();
  sized_kernel<2><<<1, 1, bytes>>>(to, n), note();
  const auto chosen = &sized_kernel<2>;
  cudaFuncSetAttribute((const void*)chosen, kind, bytes);
  chosen<<<1, 1, bytes>>>(to, n), note();
  cudaFuncSetAttribute(reinterpret_cast<void*>(&sized_kernel<2>), kind, bytes / 2);
  sized_kernel<2><<<1, 1, bytes>>>(to, n), note();
  sized_kernel<2><<<1, 1, bytes / 2>>>(to, n / 2), note();
  return got;
}
double static_limit(torch::Tensor x) {
  x.zero_();
  static_kernel<<<1, 64>>>(x.data_ptr<float>());
  return x.item<float>();
}
// After a rejected launch the next one runs.
double recovers(torch::Tensor x) {
  x.zero_();
  touch_kernel<<<1, 4096>>>(x.data_ptr<float>());
  cudaGetLastError();
  touch_kernel<<<1, 32>>>(x.data_ptr<float>());
  TORCH_CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return x.item<float>();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("launch", &launch);
  m.def("opted_in", &opted_in);
  m.def("of_each_kernel", &of_each_kernel);
  m.def("static_limit", &static_limit);
  m.def("recovers", &recovers);
}
