#include <torch/extension.h>

// How many threads have added to a counter before each reads it, by an atomic operation.
__global__ void count_before_reading(int* seen) {
  __shared__ int arrived;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  atomicAdd(&arrived, 1);
  seen[threadIdx.x] = atomicAdd(&arrived, 0);
}

__device__ __noinline__ long sum_of(const int* values, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

// Where a local array lies, and what is in it after threads have been switched several times.
__global__ void local_arrays(long* places, long* sums) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = threadIdx.x + i;
  for (int round = 0; round < 4; ++round) {
    __syncthreads();
    values[round] += __shfl_xor_sync(0xffffffffu, values[round], 1);
  }
  places[threadIdx.x] = reinterpret_cast<long>(values);
  sums[threadIdx.x] = sum_of(values, 64);
}

__device__ int kept[4];
// The first grows, the second comes back to 0, the third is set once, the fourth alternates.
__global__ void keep(int* before) {
  for (int i = 0; i < 4; ++i) before[i] = kept[i];
  ++kept[0];
  kept[1] = 7;
  kept[1] = 0;
  kept[2] = 5;
  kept[3] = !kept[3];
}

torch::Tensor counts(int threads) {
  auto seen = torch::empty({threads}, torch::dtype(torch::kInt32).device(torch::kCUDA));
  count_before_reading<<<1, threads>>>(seen.data_ptr<int>());
  return seen;
}
std::vector<torch::Tensor> locals(int threads) {
  auto places = torch::empty({threads}, torch::dtype(torch::kInt64).device(torch::kCUDA));
  auto sums = torch::empty_like(places);
  local_arrays<<<2, threads>>>(places.data_ptr<long>(), sums.data_ptr<long>());
  return {places, sums};
}
torch::Tensor kept_before() {
  auto before = torch::empty({4}, torch::dtype(torch::kInt32).device(torch::kCUDA));
  keep<<<1, 1>>>(before.data_ptr<int>());
  return before;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("counts", &counts);
  m.def("locals", &locals);
  m.def("kept_before", &kept_before);
}
