// Errors that end a launch or are recorded, with the line at which they occur.
#include <torch/extension.h>
#include <cuda_runtime.h>

#include <cassert>

__global__ void deadlock_kernel(float* x) {
  if (threadIdx.x < 32) {
    __syncthreads();                                // DEADLOCK
  } else {
    x[0] = __shfl_sync(0xffffffff, x[1], 0);
    while (atomicAdd(x + 2, 0.0f) < 1.0f) {
    }
  }
}
__global__ void missing_lanes_kernel(float* x) {
  if (threadIdx.x < 8) {
    x[threadIdx.x] = __shfl_down_sync(0xffffffff, 1.0f, 4);  // MISSING
  }
  __syncthreads();
}
__global__ void divergent_kernel(float* x) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    __syncthreads();  // DIVERGENT
  }
  x[threadIdx.x] = 1.0f;
}
__global__ void early_exit_kernel(float* x) {
  if (threadIdx.x > 5) return;
  __syncthreads();  // EXITED
  x[threadIdx.x] = 1.0f;
}
__global__ void endless_kernel(int* x) {
  while (atomicAdd(x, 0) == 0) {  // ENDLESS
  }
}
__global__ void null_kernel(float* x) { x[threadIdx.x] = 1.0f; }
__global__ void trap_kernel(int n) {
  if (n > 3) __trap();  // TRAP
}
__global__ void assert_kernel(int n) {
  assert(n < 3);  // ASSERT
}
__global__ void divide_kernel(int* x, int n) { x[0] = 100 / n; }
__global__ void recursion_kernel(int* x);
__device__ __noinline__ int deep(int n, volatile int* x) {
  volatile int local[512];
  local[n % 512] = n + x[0];
  return n == 0 ? 0 : deep(n - 1, x) + local[n % 512];
}
__global__ void recursion_kernel(int* x) { x[1] = deep(100000, x); }

torch::Tensor run(const std::string& what) {
  auto x = torch::zeros({64});
  auto n = torch::zeros({64}, torch::kInt);
  float* f = x.data_ptr<float>();
  int* i = n.data_ptr<int>();
  if (what == "deadlock") deadlock_kernel<<<1, 64>>>(f);
  if (what == "missing") missing_lanes_kernel<<<2, 64>>>(f);
  if (what == "divergent") divergent_kernel<<<1, 64>>>(f);
  if (what == "exited") early_exit_kernel<<<1, 64>>>(f);
  if (what == "endless") endless_kernel<<<1, 1>>>(i);
  if (what == "null") null_kernel<<<1, 64>>>(nullptr);
  if (what == "trap") trap_kernel<<<1, 4>>>(5);
  if (what == "assert") assert_kernel<<<1, 4>>>(5);
  if (what == "divide") divide_kernel<<<1, 1>>>(i, i[0]);
  if (what == "recursion") recursion_kernel<<<1, 1>>>(i);
  return x;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
