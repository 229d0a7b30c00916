// The runtime API for host code: memory, kinds of copies, streams, events, queries, errors.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime.h>

#include <string>
#include <vector>

#define CUDA_CHECK(call)                                                        \
  do {                                                                          \
    cudaError_t error = (call);                                                 \
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error)); \
  } while (0)

__global__ void twice_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

torch::Tensor through_buffers(torch::Tensor x) {
  const int n = x.numel();
  std::vector<float> host(n), back(n);
  float *d_x = nullptr, *d_y = nullptr, *managed = nullptr, *pinned = nullptr;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void**)&d_y, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&managed, n * sizeof(float)));
  CUDA_CHECK(cudaMallocHost((void**)&pinned, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(host.data(), x.data_ptr<float>(), n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpyAsync(d_x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaEventRecord(start, stream));
  twice_kernel<<<(n + 127) / 128, 128, 0, stream>>>(d_x, d_y, n);
  twice_kernel<<<(n + 127) / 128, 128, 0, stream>>>(d_y, managed, n);
  CUDA_CHECK(cudaEventRecord(stop, stream));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = -1;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) pinned[i] = managed[i] + 1.0f;
  auto y = torch::empty_like(x);
  CUDA_CHECK(cudaMemcpy(y.data_ptr<float>(), pinned, n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
  CUDA_CHECK(cudaFree(managed));
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaStreamDestroy(stream));
  TORCH_CHECK(milliseconds > 0, "no time has passed");
  return y;
}

torch::Tensor fresh_memory(int64_t n) {
  float* memory;
  CUDA_CHECK(cudaMalloc(&memory, n * sizeof(float)));
  auto y = torch::zeros({n});
  twice_kernel<<<1, n>>>(memory, y.data_ptr<float>(), n);
  CUDA_CHECK(cudaMemset(memory, 0, n * sizeof(float) / 2));
  auto z = torch::zeros({n});
  twice_kernel<<<1, n>>>(memory, z.data_ptr<float>(), n);
  CUDA_CHECK(cudaFree(memory));
  return torch::stack({y, z});
}

// The error of each misuse.
std::vector<std::string> errors() {
  std::vector<std::string> names;
  float host[4] = {};
  float *device, *pinned;
  cudaMalloc(&device, 16);
  cudaMallocHost(&pinned, 16);
  const auto note = [&](cudaError_t error) { names.push_back(cudaGetErrorName(error)); };
  note(cudaMemcpy(device, host, 32, cudaMemcpyHostToDevice));
  note(cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost));
  note(cudaMemcpy(host, pinned, 16, cudaMemcpyDeviceToHost));
  note(cudaMemset(device, 0, 17));
  note(cudaFree(pinned));
  note(cudaFree(device + 1));
  note(cudaSetDevice(3));
  note(cudaGetLastError());
  note(cudaGetLastError());
  note(cudaMemcpy(host, device, 16, cudaMemcpyDefault));
  cudaFree(device);
  cudaFreeHost(pinned);
  return names;
}

std::string refused(int64_t grid, int64_t block, int64_t shared) {
  auto x = torch::ones({4});
  twice_kernel<<<grid, block, shared>>>(x.data_ptr<float>(), x.data_ptr<float>(), 4);
  const cudaError_t error = cudaGetLastError();
  TORCH_CHECK(x[0].item<float>() == 1.0f || error == cudaSuccess, "it ran");
  return cudaGetErrorString(error);
}
void checked(int64_t block) {
  auto x = torch::ones({4});
  twice_kernel<<<1, block>>>(x.data_ptr<float>(), x.data_ptr<float>(), 4);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

std::vector<int64_t> queries() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int device = -1, count = 0, shared = 0, blocks = 0, grid = 0, block = 0;
  cudaGetDevice(&device);
  cudaGetDeviceCount(&count);
  cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice_kernel, 256, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, twice_kernel, 0, 0);
  return {device, count, shared, blocks, grid, block, properties.warpSize,
          properties.maxThreadsPerBlock, at::cuda::getCurrentDeviceProperties()->multiProcessorCount};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("through_buffers", &through_buffers);
  m.def("fresh_memory", &fresh_memory);
  m.def("errors", &errors);
  m.def("refused", &refused);
  m.def("checked", &checked);
  m.def("queries", &queries);
}
