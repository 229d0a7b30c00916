// Two blocks that run in turns, before their atomic operations.
#include <torch/extension.h>
#include <cuda_runtime.h>

// The maximum of each column of 32 is read by one atomic and replaced by another one.
__global__ void two_steps_kernel(const int* x, int* largest) {
  const int value = x[blockIdx.x * 32 + threadIdx.x];
  const int seen = atomicAdd(&largest[threadIdx.x], 0);
  if (value > seen) atomicExch(&largest[threadIdx.x], value);
}
torch::Tensor largest_in_two_steps(torch::Tensor x) {
  auto largest = torch::zeros({32}, x.options());
  two_steps_kernel<<<x.size(0), 32>>>(x.data_ptr<int>(), largest.data_ptr<int>());
  return largest;
}

// Each block keeps its own values in shared memory, static and dynamic, while others run, and counts
// them in between.
__global__ void shared_kernel(const int* x, int* y, int* total) {
  __shared__ int first[64];
  extern __shared__ int second[];
  __shared__ int late[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  first[t] = x[i];
  second[t] = 2 * x[i];
  __syncthreads();
  atomicAdd(total, 1);
  if (blockIdx.x % 2 == 1) {
    late[t] = 3 * first[63 - t];
    __syncthreads();
    atomicAdd(total, 1);
    y[i] = late[63 - t] + second[t];
  } else {
    y[i] = first[t] + second[t];
  }
  if (threadIdx.x + blockIdx.x * blockDim.x != i) y[i] = -1;
}
std::vector<torch::Tensor> shared_in_turns(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto total = torch::zeros({1}, x.options());
  shared_kernel<<<x.numel() / 64, 64, 64 * sizeof(int)>>>(x.data_ptr<int>(), y.data_ptr<int>(),
                                                          total.data_ptr<int>());
  return {y, total};
}

// One thread of each block takes a lock: the other block holds it in some of its turns.
__global__ void lock_kernel(int* lock, int* counter) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    atomicExch(counter, atomicAdd(counter, 0) + 1);
    __threadfence();
    atomicExch(lock, 0);
  }
  __syncthreads();
}
torch::Tensor count_with_lock(int64_t blocks) {
  auto state = torch::zeros({2}, torch::device(torch::kCUDA).dtype(torch::kInt32));
  lock_kernel<<<blocks, 64>>>(state.data_ptr<int>(), state.data_ptr<int>() + 1);
  return state;
}

// A fault in a block that runs within the turn of another one.
__global__ void trap_kernel(int* total) {
  if (atomicAdd(total, 1) >= 40) __trap();
  atomicAdd(total, 1);
}
torch::Tensor trap(int64_t blocks) {
  auto total = torch::zeros({1}, torch::device(torch::kCUDA).dtype(torch::kInt32));
  trap_kernel<<<blocks, 32>>>(total.data_ptr<int>());
  return total;
}

// Later passes read what the first one has written, although `in` is const and __restrict__.
__global__ void passes_kernel(const float* __restrict__ in, float* __restrict__ out, int passes) {
  for (int p = 0; p < passes; ++p) {
    const float v = in[threadIdx.x] + 1.0f;
    __syncthreads();
    out[threadIdx.x] = v;
    __syncthreads();
  }
}
torch::Tensor passes(torch::Tensor x, int64_t count, bool in_place) {
  auto y = x.clone();
  passes_kernel<<<1, x.numel()>>>(in_place ? y.data_ptr<float>() : x.data_ptr<float>(),
                                  y.data_ptr<float>(), count);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("largest_in_two_steps", &largest_in_two_steps);
  m.def("shared_in_turns", &shared_in_turns);
  m.def("count_with_lock", &count_with_lock);
  m.def("trap", &trap);
  m.def("passes", &passes);
}
