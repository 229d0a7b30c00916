// Memory that is read before it is written, each beside a correct twin.
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* y, int n, bool wrong) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t < n) s[t] = x[t];
  if (!wrong && t >= n) s[t] = 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += s[i];  // SUM
  y[t] = sum;
}
__global__ void counter_kernel(const int* x, int* y, bool wrong) {
  __shared__ int count;
  if (!wrong && threadIdx.x == 0) count = 0;
  __syncthreads();
  if (x[threadIdx.x] % 3 == 0) atomicAdd(&count, 1);  // COUNTER
  __syncthreads();
  if (threadIdx.x == 0) y[0] = count & 0xff;  // COUNTER
}
__global__ void bins_kernel(const int* x, int* y, bool wrong) {
  extern __shared__ int bins[];
  for (int i = threadIdx.x; i < (wrong ? 15 : 16); i += blockDim.x) bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[x[threadIdx.x] % 16], 1);  // BINS
  __syncthreads();
  if (threadIdx.x < 16) y[threadIdx.x] = bins[threadIdx.x];  // BINS
}
__global__ void border_kernel(const float* x, float* y, bool wrong) {
  __shared__ float tile[34];
  const int t = threadIdx.x;
  tile[t + 1] = x[t];
  if (t == 0) tile[0] = 0.0f;
  if (t == 31 && !wrong) tile[33] = 0.0f;
  __syncthreads();
  y[t] = tile[t] + tile[t + 1] + tile[t + 2];  // BORDER
}
__global__ void tree_kernel(const float* x, float* y, int n, bool wrong) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t < n) s[t] = x[t];
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half && (wrong || t + half < n)) {
      s[t] += s[t + half];  // TREE
    }
    __syncthreads();
  }
  if (t == 0) y[0] = s[0];
}
__global__ void pair_kernel(const int* x, int* y, bool wrong) {
  __shared__ struct {
    int low, high;
  } range;
  if (threadIdx.x == 0) {
    range.low = 1 << 30;
    if (!wrong) range.high = 0;
  }
  __syncthreads();
  atomicMin(&range.low, x[threadIdx.x]);
  atomicMax(&range.high, x[threadIdx.x]);  // PAIR
  __syncthreads();
  if (threadIdx.x == 0) y[0] = range.low + range.high;  // PAIR
}
__global__ void blocks_kernel(const float* x, float* y, bool wrong) {
  __shared__ float kept[32];
  // Values of the previous block are not visible.
  if (!wrong || blockIdx.x == 0) kept[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 32 + threadIdx.x] = kept[31 - threadIdx.x];  // BLOCKS
}

__global__ void pairs_kernel(int* y) {
  __shared__ int s[64];
  y[threadIdx.x] = s[threadIdx.x] & 0x84;
}

// Reads that affect the result: a local variable, new memory, an output.
__global__ void local_kernel(const float* x, float* y, int n, bool wrong) {
  float sum;
  if (!wrong) sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += x[i];
  y[threadIdx.x] = sum;
}
__global__ void array_kernel(const float* x, float* y, int n, bool wrong) {
  float kept[4];
  for (int k = 0; k < (wrong ? n : 4); ++k) kept[k] = x[k];
  y[threadIdx.x] = kept[0] + kept[1] + kept[2] + kept[3];
}
__global__ void accumulate_kernel(const float* x, float* y) { y[threadIdx.x] += x[threadIdx.x]; }
__global__ void part_kernel(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x];
}

torch::Tensor run(const std::string& what, bool wrong) {
  const auto options = torch::device(torch::kCUDA).dtype(torch::kFloat);
  auto x = torch::ones({64}, options), y = torch::empty({64}, options);
  auto i = torch::arange(64, options.dtype(torch::kInt)), z = torch::zeros_like(i);
  const float* px = x.data_ptr<float>();
  float* py = y.data_ptr<float>();
  const int* pi = i.data_ptr<int>();
  int* pz = z.data_ptr<int>();
  if (what == "sum") sum_kernel<<<1, 64>>>(px, py, 50, wrong);
  if (what == "counter") counter_kernel<<<1, 64>>>(pi, pz, wrong);
  if (what == "bins") bins_kernel<<<1, 64, 16 * sizeof(int)>>>(pi, pz, wrong);
  if (what == "border") border_kernel<<<1, 32>>>(px, py, wrong);
  if (what == "tree") tree_kernel<<<1, 64>>>(px, py, 50, wrong);
  if (what == "pair") pair_kernel<<<1, 64>>>(pi, pz, wrong);
  if (what == "blocks") blocks_kernel<<<2, 32>>>(px, py, wrong);
  if (what == "local") local_kernel<<<1, 64>>>(px, py, 3, wrong);
  if (what == "array") array_kernel<<<1, 64>>>(px, py, 3, wrong);
  if (what == "accumulate") {
    if (!wrong) y.zero_();
    accumulate_kernel<<<1, 64>>>(px, py);
  }
  if (what == "part") part_kernel<<<1, 64>>>(px, py, wrong ? 63 : 64);
  if (what == "allocated") {
    float* buffer = nullptr;
    cudaMalloc(&buffer, 256);
    if (!wrong) cudaMemset(buffer, 0, 256);
    part_kernel<<<1, 64>>>(buffer, py, 64);
    cudaFree(buffer);
  }
  if (what == "pairs") {
    pairs_kernel<<<1, 64>>>(pz);
    return z;
  }
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
