// Static and dynamic shared memory in every form of declaration.
#include <torch/extension.h>
#include <cuda_runtime.h>

template <typename T, int kTile>
__global__ void transpose_kernel(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
torch::Tensor transpose(torch::Tensor x) {
  auto y = torch::empty({x.size(1), x.size(0)}, x.options());
  const int rows = x.size(0), cols = x.size(1);
  dim3 block(8, 8), grid((cols + 7) / 8, (rows + 7) / 8);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "transpose", [&] {
    transpose_kernel<scalar_t, 8>
        <<<grid, block>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows, cols);
  });
  return y;
}

#define TILE 16
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
    as[threadIdx.y][threadIdx.x] =
        row < m && t * TILE + threadIdx.x < k ? a[row * k + t * TILE + threadIdx.x] : 0.0f;
    bs[threadIdx.y][threadIdx.x] =
        col < n && t * TILE + threadIdx.y < k ? b[(t * TILE + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  auto c = torch::empty({a.size(0), b.size(1)}, a.options());
  dim3 block(TILE, TILE);
  dim3 grid((b.size(1) + TILE - 1) / TILE, (a.size(0) + TILE - 1) / TILE);
  matmul_kernel<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(),
                                 a.size(0), b.size(1), a.size(1));
  return c;
}

extern __shared__ float at_file_scope[];
__global__ void file_scope_kernel(const float* x, float* y, int n) {
  at_file_scope[threadIdx.x] = x[blockIdx.x * n + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * n + threadIdx.x] = at_file_scope[n - 1 - threadIdx.x];
}
__global__ void reverse_kernel(const float* x, float* y, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  float* values = reinterpret_cast<float*>(raw);
  double* sums = reinterpret_cast<double*>(raw + n * sizeof(float));
  values[threadIdx.x] = x[blockIdx.x * n + threadIdx.x];
  if (threadIdx.x == 0) sums[0] = 0.25;
  __syncthreads();
  y[blockIdx.x * n + threadIdx.x] = values[n - 1 - threadIdx.x] + static_cast<float>(sums[0]);
}
torch::Tensor reverse(torch::Tensor x, bool file_scope) {
  auto y = torch::empty_like(x);
  const int n = x.size(1);
  size_t bytes = n * sizeof(float) + sizeof(double);
  if (file_scope) {
    file_scope_kernel<<<x.size(0), n, n * sizeof(float)>>>(x.data_ptr<float>(),
                                                           y.data_ptr<float>(), n);
  } else {
    reverse_kernel<<<x.size(0), n, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  }
  return y;
}

struct Pair {
  float value;
  int index;
};
__device__ Pair& best_of_block() {
  __shared__ Pair best;  // One per block, even if a function declares it.
  return best;
}
__global__ void argmax_kernel(const float* x, float* value, int64_t* index, int n) {
  __shared__ Pair pairs[256];
  volatile __shared__ int rounds;
  __shared__ alignas(16) float unused[4];
  Pair mine{-INFINITY, -1};
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (x[blockIdx.x * n + i] > mine.value) mine = {x[blockIdx.x * n + i], i};
  }
  pairs[threadIdx.x] = mine;
  if (threadIdx.x == 0) rounds = 0;
  unused[threadIdx.x % 4] = 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      const Pair other = pairs[threadIdx.x + s];
      Pair& own = pairs[threadIdx.x];
      if (other.value > own.value || (other.value == own.value && other.index < own.index)) {
        own = other;
      }
    }
    if (threadIdx.x == 0) rounds = rounds + 1;
    __syncthreads();
  }
  if (threadIdx.x == 0) best_of_block() = pairs[0];
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1 && rounds == 8) {
    value[blockIdx.x] = best_of_block().value;
    index[blockIdx.x] = best_of_block().index;
  }
}
std::tuple<torch::Tensor, torch::Tensor> argmax(torch::Tensor x) {
  auto value = torch::empty({x.size(0)}, x.options());
  auto index = torch::empty({x.size(0)}, x.options().dtype(torch::kLong));
  argmax_kernel<<<x.size(0), 256>>>(x.data_ptr<float>(), value.data_ptr<float>(),
                                    index.data_ptr<int64_t>(), x.size(1));
  return std::make_tuple(value, index);
}

// Unwritten shared memory reads as NaN, in every block.
__global__ void uninitialized_kernel(float* y) {
  __shared__ float values[64];
  extern __shared__ float dynamic[];
  y[blockIdx.x * 128 + threadIdx.x] = values[threadIdx.x];
  y[blockIdx.x * 128 + 64 + threadIdx.x] = dynamic[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = dynamic[threadIdx.x] = 1.0f;
}
torch::Tensor uninitialized() {
  auto y = torch::zeros({4, 128}, torch::device(torch::kCUDA));
  uninitialized_kernel<<<4, 64, 64 * sizeof(float)>>>(y.data_ptr<float>());
  return y;
}

__global__ void large_kernel(float* y, int n) {
  extern __shared__ float values[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) y[0] = values[n - 1];
}
torch::Tensor large(int64_t bytes, bool allowed) {
  auto y = torch::zeros({1}, torch::device(torch::kCUDA));
  if (allowed) {
    cudaFuncSetAttribute(large_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  }
  large_kernel<<<1, 64, bytes>>>(y.data_ptr<float>(), bytes / 4);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("transpose", &transpose);
  m.def("matmul", &matmul);
  m.def("reverse", &reverse);
  m.def("argmax", &argmax);
  m.def("uninitialized", &uninitialized);
  m.def("large", &large);
}
