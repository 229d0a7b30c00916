// More of the runtime API: two-dimensional copies, symbols, streams, queries, launches by function.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <string>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    cudaError_t status = (call);                                                           \
    TORCH_CHECK(status == cudaSuccess, #call " failed: ", cudaGetErrorName(status), " at ", \
                __FILE__, ":", __LINE__);                                                  \
  } while (0)

__global__ void add_kernel(const float* x, float* y, int n, float by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    y[i] = x[i] + by;
  }
}
// Rows of pitched memory.
__global__ void pitched_kernel(float* data, size_t pitch, int columns, int rows) {
  const int c = threadIdx.x, r = threadIdx.y;
  if (c < columns && r < rows) {
    float* row = (float*)((char*)data + r * pitch);
    row[c] = row[c] * 2.0f + r;
  }
}
torch::Tensor pitched(torch::Tensor x, bool async) {
  const int rows = x.size(0), columns = x.size(1);
  const size_t width = columns * sizeof(float);
  float* data = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&data, &pitch, width, rows));
  TORCH_CHECK(pitch >= width && pitch % 256 == 0, "pitch ", pitch);
  auto y = torch::empty_like(x);
  if (async) {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy2DAsync(data, pitch, x.data_ptr<float>(), width, width, rows,
                            cudaMemcpyDeviceToDevice, stream));
    pitched_kernel<<<1, dim3(32, rows), 0, stream>>>(data, pitch, columns, rows);
    CHECK(cudaMemcpy2DAsync(y.data_ptr<float>(), width, data, pitch, width, rows,
                            cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  } else {
    CHECK(cudaMemset2D(data, pitch, 0, width, rows));
    pitched_kernel<<<1, dim3(32, rows)>>>(data, pitch, columns, rows);
    CHECK(cudaMemcpy2D(y.data_ptr<float>(), width, data, pitch, width, rows,
                       cudaMemcpyDeviceToDevice));
  }
  CHECK(cudaFree(data));
  return y;
}

struct Settings {
  float scale;
  int shift[3];
  double exact;
};
__constant__ Settings settings;
__constant__ float filter[16] = {1, 2, 3, 4};
__device__ int counters[4];
__device__ float* device_pointer;
__global__ void symbol_kernel(float* y) {
  const int t = threadIdx.x;
  y[t] = settings.scale * t + settings.shift[t % 3] + static_cast<float>(settings.exact) +
         filter[t];
  atomicAdd(&counters[t % 4], 1);
  if (t == 0) *device_pointer = 5.0f;
}
std::vector<torch::Tensor> symbols(torch::Tensor like) {
  const Settings host{0.5f, {10, 20, 30}, 0.25};
  CHECK(cudaMemcpyToSymbol(settings, &host, sizeof(Settings)));
  const float tail[2] = {50, 60};
  CHECK(cudaMemcpyToSymbol(filter, tail, sizeof(tail), 2 * sizeof(float)));
  const int zeros[4] = {7, 0, 0, 0};
  CHECK(cudaMemcpyToSymbolAsync(counters, zeros, sizeof(zeros), 0, cudaMemcpyHostToDevice, 0));
  auto y = torch::zeros({16}, like.options()), single = torch::zeros({1}, like.options());
  float* to = single.data_ptr<float>();
  CHECK(cudaMemcpyToSymbol(device_pointer, &to, sizeof(to)));
  symbol_kernel<<<1, 16>>>(y.data_ptr<float>());
  int seen[2] = {};
  CHECK(cudaMemcpyFromSymbol(seen, counters, sizeof(seen), sizeof(int)));
  void* address = nullptr;
  size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, counters));
  CHECK(cudaGetSymbolSize(&size, settings));
  TORCH_CHECK(size == sizeof(Settings), size);
  int first = 0;
  CHECK(cudaMemcpy(&first, address, sizeof(int), cudaMemcpyDeviceToHost));
  const cudaError_t beyond = cudaMemcpyToSymbol(filter, tail, sizeof(tail), 15 * sizeof(float));
  TORCH_CHECK(beyond == cudaErrorInvalidValue, cudaGetErrorName(beyond));
  cudaGetLastError();
  return {y, single, torch::tensor({first, seen[0], seen[1]})};
}

// Work in two streams, one of which waits for an event of the other; elapsed times.
torch::Tensor events(torch::Tensor x) {
  const int n = x.numel();
  cudaStream_t first, second;
  cudaEvent_t done, begin, end;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  auto y = torch::empty_like(x), z = torch::empty_like(x);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(begin, first));
  add_kernel<<<2, 64, 0, first>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, 1.0f);
  CHECK(cudaEventRecord(done, first));
  CHECK(cudaStreamWaitEvent(second, done, 0));
  add_kernel<<<2, 64, 0, second>>>(y.data_ptr<float>(), z.data_ptr<float>(), n, 2.0f);
  CHECK(cudaEventRecord(end, second));
  CHECK(cudaEventSynchronize(end));
  TORCH_CHECK(cudaEventQuery(end) == cudaSuccess && cudaStreamQuery(second) == cudaSuccess);
  float milliseconds = -1.0f;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  TORCH_CHECK(milliseconds >= 0.0f, milliseconds);
  for (cudaEvent_t event : {done, begin, end}) CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  return z;
}

// torch's streams and guards.
torch::Tensor torch_streams(torch::Tensor x) {
  auto y = torch::empty_like(x);
  at::cuda::CUDAGuard guard(x.device());
  at::cuda::CUDAStream pool = at::cuda::getStreamFromPool(false, x.device().index());
  {
    at::cuda::CUDAStreamGuard in_pool(pool);
    cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    c10::cuda::getDefaultCUDAStream().synchronize();
    add_kernel<<<1, 32, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), 3.0f);
    AT_CUDA_CHECK(cudaGetLastError());
    C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  }
  add_kernel<<<1, 32, 0, c10::cuda::getCurrentCUDAStream().stream()>>>(
      y.data_ptr<float>(), y.data_ptr<float>(), x.numel(), 4.0f);
  TORCH_CHECK(at::cuda::getCurrentDeviceProperties()->warpSize == 32);
  TORCH_CHECK(at::cuda::warp_size() == 32 && c10::cuda::device_count() >= 1);
  return y;
}

// Pinned memory that a kernel writes through its device address, managed memory, managed variables.
__managed__ float managed_sum;
__managed__ int managed_table[4] = {1, 2, 3, 4};
__global__ void managed_kernel(const float* x, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += x[i] * managed_table[i % 4];
  managed_sum = sum;
}
std::vector<double> managed(int64_t n) {
  float *pinned = nullptr, *mapped = nullptr, *both = nullptr;
  CHECK(cudaHostAlloc((void**)&pinned, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer((void**)&mapped, pinned, 0));
  CHECK(cudaMallocManaged(&both, n * sizeof(float)));
  for (int64_t i = 0; i < n; ++i) both[i] = i;
#if CUDART_VERSION < 13000
  CHECK(cudaMemAdvise(both, n * sizeof(float), cudaMemAdviseSetReadMostly, 0));
#endif
  add_kernel<<<1, 32>>>(both, mapped, n, 0.5f);
  managed_kernel<<<1, 1>>>(both, n);
  CHECK(cudaDeviceSynchronize());
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += pinned[i];
  managed_table[0] = 100;
  const double first = managed_sum;
  managed_kernel<<<1, 1>>>(both, 5);
  CHECK(cudaDeviceSynchronize());
  managed_table[0] = 1;
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, both));
  const bool is_managed = attributes.type == cudaMemoryTypeManaged;
  CHECK(cudaPointerGetAttributes(&attributes, pinned));
  const bool is_host = attributes.type == cudaMemoryTypeHost;
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(both));
  return {sum, first, managed_sum, double(is_managed), double(is_host)};
}

// Allocations reduce the free memory; copies in all directions.
std::vector<int64_t> memory_info() {
  size_t before = 0, after = 0, total = 0, back = 0;
  char* memory = nullptr;
  CHECK(cudaFree(0));
  CHECK(cudaMemGetInfo(&before, &total));
  CHECK(cudaMalloc(&memory, 64 << 20));
  CHECK(cudaMemGetInfo(&after, &total));
  CHECK(cudaFree(memory));
  CHECK(cudaMemGetInfo(&back, &total));
  return {int64_t(before - after) >> 20, int64_t(back) - int64_t(before), total >= before};
}
torch::Tensor copies(torch::Tensor x) {
  const size_t bytes = x.numel() * sizeof(float);
  std::vector<float> host(x.numel()), other(x.numel());
  float *a = nullptr, *b = nullptr;
  CHECK(cudaMallocAsync((void**)&a, bytes, 0));
  CHECK(cudaMalloc((void**)&b, bytes));
  CHECK(cudaMemcpyAsync(host.data(), x.data_ptr<float>(), bytes, cudaMemcpyDefault, 0));
  CHECK(cudaStreamSynchronize(0));
  CHECK(cudaMemcpy(other.data(), host.data(), bytes, cudaMemcpyHostToHost));
  CHECK(cudaMemcpy(a, other.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemsetAsync(b, 0, bytes / 2, 0));
  auto y = torch::empty_like(x);
  CHECK(cudaMemcpy(y.data_ptr<float>(), b, bytes, cudaMemcpyDefault));
  CHECK(cudaFreeAsync(a, 0));
  CHECK(cudaFree(b));
  return y;
}

std::vector<std::string> error_names() {
  std::vector<std::string> texts;
  for (cudaError_t error :
       {cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation,
        cudaErrorInvalidConfiguration, cudaErrorInvalidDevice, cudaErrorInvalidSymbol,
        cudaErrorInvalidMemcpyDirection, cudaErrorNotReady, cudaErrorIllegalAddress,
        cudaErrorLaunchOutOfResources, cudaErrorLaunchTimeout, cudaErrorAssert,
        cudaErrorMisalignedAddress, cudaErrorLaunchFailure, cudaErrorNotSupported,
        cudaErrorInvalidResourceHandle, cudaErrorNoDevice, cudaErrorInvalidDeviceFunction,
        cudaErrorUnknown, cudaErrorInvalidPitchValue, cudaErrorInvalidDevicePointer}) {
    texts.push_back(std::string(cudaGetErrorName(error)) + "|" + cudaGetErrorString(error));
  }
  return texts;
}

template <int kItems>
__global__ void __launch_bounds__(256) shared_user_kernel(float* y) {
  extern __shared__ float s[];
  s[threadIdx.x] = threadIdx.x * kItems;
  __syncthreads();
  y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
std::vector<int64_t> occupancy() {
  int blocks = 0, grid = 0, block = 0, small = 0, value = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user_kernel<2>, 256, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, shared_user_kernel<2>, 256, 40000));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_kernel));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, add_kernel));
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaFuncSetCacheConfig(add_kernel, cudaFuncCachePreferL1));
  CHECK(cudaFuncSetAttribute(shared_user_kernel<2>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared));
  return {blocks >= 1, small >= 1 && small <= blocks, block % 32 == 0 && block > 0, grid >= value,
          attributes.maxThreadsPerBlock >= 256, value > 0};
}
torch::Tensor large_shared(torch::Tensor like, int64_t bytes) {
  auto y = torch::zeros({128}, like.options());
  auto kernel = shared_user_kernel<3>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<1, 128, bytes>>>(y.data_ptr<float>());
  CHECK(cudaGetLastError());
  return y;
}

void note(void* data) { ++*static_cast<int*>(data); }
void CUDART_CB note_status(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) *static_cast<int*>(data) += 10;
}
torch::Tensor by_function(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const float* in = x.data_ptr<float>();
  float* out = y.data_ptr<float>();
  int n = x.numel(), noted = 0;
  float by = 1.5f;
  void* arguments[] = {&in, &out, &n, &by};
  CHECK(cudaLaunchKernel((void*)add_kernel, dim3(2), dim3(32), arguments, 0, nullptr));
  in = out;
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(&add_kernel), dim3(1), dim3(64), arguments,
                         0, 0));
  CHECK(cudaLaunchHostFunc(0, note, &noted));
  CHECK(cudaStreamAddCallback(0, note_status, &noted, 0));
  CHECK(cudaDeviceSynchronize());
  TORCH_CHECK(noted == 11, noted);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("pitched", &pitched);
  m.def("symbols", &symbols);
  m.def("events", &events);
  m.def("torch_streams", &torch_streams);
  m.def("managed", &managed);
  m.def("memory_info", &memory_info);
  m.def("copies", &copies);
  m.def("error_names", &error_names);
  m.def("occupancy", &occupancy);
  m.def("large_shared", &large_shared);
  m.def("by_function", &by_function);
}
