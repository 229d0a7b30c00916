// Data races and their correct twins.
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void same_word_kernel(int* out, bool wrong) {
  if (wrong || threadIdx.x == 0) out[0] = threadIdx.x;  // SAME
}
__global__ void neighbour_kernel(int* out, bool wrong) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (!wrong) __syncthreads();
  out[threadIdx.x] = s[(threadIdx.x + 1) % 64];  // NEIGHBOUR
}
__global__ void reduce_kernel(int* out, bool wrong) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  for (int o = 32; o > 0; o >>= 1) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];  // REDUCE
    if (!wrong) __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0];
}
__global__ void warp_kernel(int* out, bool wrong) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  if (!wrong) __syncwarp();
  out[threadIdx.x] = s[31 - threadIdx.x];  // WARP
}
__global__ void blocks_kernel(int* out, bool wrong) {
  if (threadIdx.x == 0) out[blockIdx.x / (wrong ? 2 : 1)] = 1;  // BLOCKS
}
__global__ void counter_kernel(int* out, bool wrong) {
  if (wrong) {
    out[0] = out[0] + 1;  // COUNTER
  } else {
    atomicAdd(out, 1);
  }
}
__global__ void reuse_kernel(int* out, bool wrong) {
  __shared__ int s[64];
  for (int i = 0; i < 3; ++i) {
    s[threadIdx.x] = i;  // REUSE
    __syncthreads();
    out[threadIdx.x] += s[63 - threadIdx.x];
    if (!wrong) __syncthreads();
  }
}
__global__ void bytes_kernel(unsigned char* out, bool wrong) {
  out[wrong ? threadIdx.x / 2 : threadIdx.x] = 1;  // BYTES
}
__device__ unsigned arrived = 0;
__global__ void last_block_kernel(const int* x, int* partial, int* out, bool wrong) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x[blockIdx.x];
    if (!wrong) __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];  // LAST
    out[0] = sum;
  }
}
__global__ void shuffle_kernel(int* out, bool wrong) {
  __shared__ int s[2];
  int v = threadIdx.x;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  if (!wrong) __syncthreads();
  if (threadIdx.x == 0) out[0] = s[0] + s[1];  // SHUFFLE
}

torch::Tensor run(const std::string& what, bool wrong) {
  auto y = torch::zeros({256}, torch::kInt), x = torch::ones({256}, torch::kInt);
  int *out = y.data_ptr<int>(), *in = x.data_ptr<int>();
  if (what == "same") same_word_kernel<<<1, 64>>>(out, wrong);
  if (what == "neighbour") neighbour_kernel<<<1, 64>>>(out, wrong);
  if (what == "reduce") reduce_kernel<<<1, 64>>>(out, wrong);
  if (what == "warp") warp_kernel<<<1, 32>>>(out, wrong);
  if (what == "blocks") blocks_kernel<<<4, 64>>>(out, wrong);
  if (what == "counter") counter_kernel<<<4, 64>>>(out, wrong);
  if (what == "reuse") reuse_kernel<<<1, 64>>>(out, wrong);
  if (what == "bytes") bytes_kernel<<<1, 64>>>(reinterpret_cast<unsigned char*>(out), wrong);
  if (what == "last") last_block_kernel<<<8, 32>>>(in, out + 8, out, wrong);
  if (what == "shuffle") shuffle_kernel<<<1, 64>>>(out, wrong);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
