// CUB's block and warp primitives, and cuRAND's device interface.
#include <torch/extension.h>
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <curand_kernel.h>

#if CUDART_VERSION >= 13000
#include <cuda/functional>
using Larger = cuda::maximum<float>;
#else
using Larger = cub::Max;
#endif

template <int kThreads>
__global__ void reduce_kernel(const float* x, float* y, int n) {
  using BlockReduce = cub::BlockReduce<float, kThreads>;
  __shared__ typename BlockReduce::TempStorage storage;
  __shared__ float mean;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += kThreads) sum += x[blockIdx.x * n + i];
  const float total = BlockReduce(storage).Sum(sum);
  if (threadIdx.x == 0) mean = total / n;
  __syncthreads();
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < n; i += kThreads) {
    largest = fmaxf(largest, fabsf(x[blockIdx.x * n + i] - mean));
  }
  largest = BlockReduce(storage).Reduce(largest, Larger());
  if (threadIdx.x == 0) {
    y[2 * blockIdx.x] = mean;
    y[2 * blockIdx.x + 1] = largest;
  }
}
torch::Tensor reduce(torch::Tensor x) {
  auto y = torch::empty({x.size(0), 2}, x.options());
  reduce_kernel<128><<<x.size(0), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}

__global__ void scan_kernel(const int* x, int* inclusive, int* exclusive, int* warps) {
  typedef cub::BlockScan<int, 64> BlockScan;
  __shared__ BlockScan::TempStorage first, second;
  typedef cub::WarpReduce<int> WarpReduce;
  __shared__ typename WarpReduce::TempStorage warp_storage[2];
  int a, b;
  BlockScan(first).InclusiveSum(x[threadIdx.x], a);
  BlockScan(second).ExclusiveSum(x[threadIdx.x], b);
  inclusive[threadIdx.x] = a;
  exclusive[threadIdx.x] = b;
  const int sum = WarpReduce(warp_storage[threadIdx.x / 32]).Sum(x[threadIdx.x]);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
}
std::vector<torch::Tensor> scan(torch::Tensor x) {
  auto a = torch::empty_like(x), b = torch::empty_like(x), w = torch::empty({2}, x.options());
  scan_kernel<<<1, 64>>>(x.data_ptr<int>(), a.data_ptr<int>(), b.data_ptr<int>(),
                         w.data_ptr<int>());
  return {a, b, w};
}

__global__ void random_kernel(float* y, unsigned long long seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandState state;
  curand_init(seed, i, 0, &state);
  y[i] = curand_uniform(&state);
  y[n + i] = curand_normal(&state);
}
torch::Tensor random_numbers(int64_t n, int64_t seed) {
  auto y = torch::empty({2, n}, torch::device(torch::kCUDA));
  random_kernel<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), seed, n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("reduce", &reduce);
  m.def("scan", &scan);
  m.def("random", &random_numbers);
}
