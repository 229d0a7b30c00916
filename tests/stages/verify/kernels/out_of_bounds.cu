// Accesses outside of an allocation and numbers outside of a type, each beside a correct twin. Also
// built with memory checks.
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__constant__ float weights[8];

__global__ void global_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (wrong ? i <= n : i < n) y[i] = x[min(i, n - 1)];  // GLOBAL
}
__global__ void read_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float next = i + 1 < n || wrong ? x[i + 1] : 0.0f;  // READ
  y[i] = x[i] + next;
}
__global__ void shared_kernel(float* y, bool wrong) {
  __shared__ float first[64];
  __shared__ float second[64];
  float* p = first;
  p[threadIdx.x + (wrong ? 1 : 0)] = 1.0f;  // SHARED
  second[threadIdx.x] = 2.0f;
  __syncthreads();
  y[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
__global__ void dynamic_kernel(float* y, bool wrong) {
  extern __shared__ float values[];
  values[threadIdx.x * (wrong ? 2 : 1)] = 1.0f;  // DYNAMIC
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x];
}
__global__ void array_kernel(float* y, int n, bool wrong) {
  __shared__ float tile[8][9];
  tile[threadIdx.x / 8][threadIdx.x % 8 + (wrong ? n : 0)] = 1.0f;  // ARRAY
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
}
__global__ void local_kernel(const float* x, float* y, bool wrong) {
  float sums[4];
  float* p = sums;
  for (int i = 0; i < 4 + (wrong ? (int)x[0] : 0); ++i) {
    p[i] = i;  // LOCAL
  }
  y[threadIdx.x] = p[threadIdx.x % 4];
}
__global__ void constant_kernel(float* y, int n, bool wrong) {
  const float* p = weights;
  y[threadIdx.x] = p[threadIdx.x % 8 + (wrong ? n : 0)];  // CONSTANT
}
__global__ void misaligned_kernel(const float* x, float* y, bool wrong) {
  const float4* const four = reinterpret_cast<const float4*>(x + (wrong ? 1 : 0));
  y[threadIdx.x] = four->x + four->w;  // MISALIGNED
}
__global__ void freed_kernel(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // FREED
}
__global__ void atomic_kernel(float* y, int n, bool wrong) {
  atomicAdd(y + (wrong ? n : threadIdx.x), 1.0f);  // ATOMIC
}
__global__ void barrier_kernel(const float* x, float* y, int n, bool wrong) {
  __shared__ float row[64];
  float v = threadIdx.x < n ? x[threadIdx.x] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  row[threadIdx.x] = v;
  __syncthreads();
  y[threadIdx.x] = row[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 40) y[wrong ? -1 : 0] = 1.0f;  // BARRIER
}
__global__ void narrow_kernel(const float* x, float* y, bool wrong) {
  const float v = x[threadIdx.x] * (wrong ? 200.0f : 127.0f);
  y[threadIdx.x] = (signed char)v + (unsigned char)-v + (short)(v * 100.0f);  // NARROW
}
__global__ void half_kernel(const float* x, float* y, bool wrong) {
  signed char bytes[1] = {};
  bytes[0] = __float2half(x[threadIdx.x] * (wrong ? 300.0f : -128.0f));  // HALF
  y[threadIdx.x] = bytes[0];
}

torch::Tensor run(const std::string& what, bool wrong) {
  const int n = 61;
  auto x = torch::ones({n}), y = torch::empty({64});
  auto exact = torch::empty({n});
  float *px = x.data_ptr<float>(), *py = y.data_ptr<float>(), *pe = exact.data_ptr<float>();
  float *buffer, *small;
  cudaMalloc(&buffer, 64 * sizeof(float));
  cudaMalloc(&small, n * sizeof(float));
  cudaMemset(buffer, 0, 64 * sizeof(float));
  if (what == "global") global_kernel<<<2, 32>>>(px, pe, n, wrong);
  if (what == "allocated") global_kernel<<<2, 32>>>(px, small, n, wrong);
  if (what == "read") read_kernel<<<2, 32>>>(px, py, n, wrong);
  if (what == "shared") shared_kernel<<<1, 64>>>(py, wrong);
  if (what == "dynamic") dynamic_kernel<<<1, 64, 64 * sizeof(float)>>>(py, wrong);
  if (what == "array") array_kernel<<<1, 64>>>(py, 2, wrong);
  if (what == "local") local_kernel<<<1, 32>>>(px, py, wrong);
  if (what == "constant") constant_kernel<<<1, 32>>>(py, 3, wrong);
  if (what == "misaligned") misaligned_kernel<<<1, 8>>>(buffer, py, wrong);
  if (what == "atomic") atomic_kernel<<<1, 8>>>(pe, n, wrong);
  if (what == "narrow") narrow_kernel<<<1, 32>>>(px, py, wrong);
  if (what == "half") half_kernel<<<1, 32>>>(px, py, wrong);
  if (what == "barrier") barrier_kernel<<<1, 64>>>(px, py, n, wrong);
  if (wrong) cudaFree(buffer);
  if (what == "freed") freed_kernel<<<1, 8>>>(buffer, py);
  if (!wrong) cudaFree(buffer);
  cudaFree(small);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
