// One kernel of each class whose speed on the executor bench/verify.py measures.
#include <torch/extension.h>

__global__ void elementwise(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(x[i] * 1.5f + y[i], 0.0f);
}

// A row a block: strided sums, then shuffles.
__global__ void row_sum(const float* x, float* out, int columns) {
  __shared__ float partial[32];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[blockIdx.x * columns + i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

__global__ void tiled_matmul(const float* a, const float* b, float* out, int n) {
  __shared__ float left[16][16], right[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int tile = 0; tile < n; tile += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}

// A row a block, its values in dynamic shared memory; two reductions over a tree.
__global__ void softmax(const float* x, float* out, int columns) {
  extern __shared__ float values[];
  float* const tree = values + columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    values[i] = x[blockIdx.x * columns + i];
    largest = fmaxf(largest, values[i]);
  }
  tree[threadIdx.x] = largest;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) tree[threadIdx.x] = fmaxf(tree[threadIdx.x], tree[threadIdx.x + half]);
  }
  __syncthreads();
  largest = tree[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    values[i] = expf(values[i] - largest);
    sum += values[i];
  }
  tree[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[blockIdx.x * columns + i] = values[i] / tree[0];
  }
}

__global__ void histogram(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[x[i] & 255], 1);
}

torch::Tensor run_elementwise(torch::Tensor x, torch::Tensor y) {
  auto out = torch::empty_like(x);
  const int n = x.numel();
  elementwise<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                        out.data_ptr<float>(), n);
  return out;
}
torch::Tensor run_row_sum(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  row_sum<<<x.size(0), 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
torch::Tensor run_tiled_matmul(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty_like(a);
  const int n = a.size(0);
  tiled_matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                       out.data_ptr<float>(), n);
  return out;
}
torch::Tensor run_softmax(torch::Tensor x) {
  auto out = torch::empty_like(x);
  softmax<<<x.size(0), 256, (x.size(1) + 256) * sizeof(float)>>>(
      x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
torch::Tensor run_histogram(torch::Tensor x) {
  auto out = torch::zeros({256}, x.options());
  const int n = x.numel();
  histogram<<<(n + 255) / 256, 256>>>(x.data_ptr<int>(), out.data_ptr<int>(), n);
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("elementwise", &run_elementwise);
  m.def("row_sum", &run_row_sum);
  m.def("tiled_matmul", &run_tiled_matmul);
  m.def("softmax", &run_softmax);
  m.def("histogram", &run_histogram);
}
