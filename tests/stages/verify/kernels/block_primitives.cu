// CUB's primitives over the items of blocks and warps, and more of cuRAND's device interface.
#include <torch/extension.h>
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <curand_kernel.h>

struct Differs {
  __device__ bool operator()(unsigned char a, unsigned char b) const { return a != b; }
};

constexpr int kThreads = 32, kItems = 4, kAll = kThreads * kItems;

template <cub::BlockLoadAlgorithm kLoad, cub::BlockStoreAlgorithm kStore>
__global__ void load_kernel(const int* x, int* y, int n) {
  using Load = cub::BlockLoad<int, kThreads, kItems, kLoad>;
  using Store = cub::BlockStore<int, kThreads, kItems, kStore>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } storage;
  int items[kItems];
  const int first = blockIdx.x * kAll, left = n - first;
  if (left >= kAll) {
    Load(storage.load).Load(x + first, items);
  } else {
    Load(storage.load).Load(x + first, items, left, -1);
  }
  for (int i = 0; i < kItems; ++i) items[i] = items[i] * 10 + i;
  __syncthreads();
  Store(storage.store).Store(y + first, items, left);
}
torch::Tensor loads(torch::Tensor x, int how) {
  auto y = torch::zeros_like(x);
  const int n = x.numel(), blocks = (n + kAll - 1) / kAll;
  const int* in = x.data_ptr<int>();
  int* out = y.data_ptr<int>();
  if (how == 0) {
    load_kernel<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT><<<blocks, kThreads>>>(in, out, n);
  } else if (how == 1) {
    load_kernel<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>
        <<<blocks, kThreads>>>(in, out, n);
  } else {
    load_kernel<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>
        <<<blocks, kThreads>>>(in, out, n);
  }
  return y;
}

__global__ void sort_kernel(const float* x, float* up, float* down, int* places) {
  using Sort = cub::BlockRadixSort<float, kThreads, kItems>;
  using SortPairs = cub::BlockRadixSort<float, kThreads, kItems, int>;
  __shared__ typename Sort::TempStorage keys_storage;
  __shared__ typename SortPairs::TempStorage pairs_storage;
  float keys[kItems], other[kItems];
  int values[kItems];
  for (int i = 0; i < kItems; ++i) {
    const int at = threadIdx.x * kItems + i;
    keys[i] = other[i] = x[at];
    values[i] = at;
  }
  Sort(keys_storage).Sort(keys);
  SortPairs(pairs_storage).SortDescending(other, values);
  for (int i = 0; i < kItems; ++i) {
    const int at = threadIdx.x * kItems + i;
    up[at] = keys[i];
    down[at] = other[i];
    places[at] = values[i];
  }
}
std::vector<torch::Tensor> sorts(torch::Tensor x) {
  auto up = torch::empty_like(x), down = torch::empty_like(x);
  auto places = torch::zeros({kAll}, x.options().dtype(torch::kInt));
  sort_kernel<<<1, kThreads>>>(x.data_ptr<float>(), up.data_ptr<float>(), down.data_ptr<float>(),
                               places.data_ptr<int>());
  return {up, down, places};
}

__global__ void integer_sort_kernel(const int* x, int* y) {
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  int keys[kItems], low[kItems];
  for (int i = 0; i < kItems; ++i) keys[i] = low[i] = x[threadIdx.x * kItems + i];
  Sort(storage).SortBlockedToStriped(keys);
  __syncthreads();
  Sort(storage).Sort(low, 0, 4);
  for (int i = 0; i < kItems; ++i) {
    y[i * kThreads + threadIdx.x] = keys[i];
    y[kAll + threadIdx.x * kItems + i] = low[i];
  }
}
torch::Tensor integer_sorts(torch::Tensor x) {
  auto y = torch::zeros({2, kAll}, x.options());
  integer_sort_kernel<<<1, kThreads>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

__global__ void exchange_kernel(const int* x, int* y) {
  using Exchange = cub::BlockExchange<int, kThreads, kItems>;
  __shared__ typename Exchange::TempStorage storage;
  int items[kItems], ranks[kItems];
  for (int i = 0; i < kItems; ++i) items[i] = x[i * kThreads + threadIdx.x];
  Exchange(storage).StripedToBlocked(items, items);
  for (int i = 0; i < kItems; ++i) y[threadIdx.x * kItems + i] = items[i];
  __syncthreads();
  Exchange(storage).BlockedToStriped(items, items);
  for (int i = 0; i < kItems; ++i) {
    y[kAll + i * kThreads + threadIdx.x] = items[i];
    ranks[i] = kAll - 1 - (i * kThreads + threadIdx.x);
  }
  __syncthreads();
  Exchange(storage).ScatterToBlocked(items, ranks);
  for (int i = 0; i < kItems; ++i) y[2 * kAll + threadIdx.x * kItems + i] = items[i];
}
torch::Tensor exchanges(torch::Tensor x) {
  auto y = torch::zeros({3, kAll}, x.options());
  exchange_kernel<<<1, kThreads>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

__global__ void histogram_kernel(const unsigned char* x, unsigned* y, int* heads) {
  using Histogram = cub::BlockHistogram<unsigned char, kThreads, kItems, 256>;
  using Differences = cub::BlockDiscontinuity<unsigned char, kThreads>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ typename Differences::TempStorage other;
  __shared__ unsigned counts[256];
  unsigned char items[kItems];
  int flags[kItems];
  for (int i = 0; i < kItems; ++i) items[i] = x[threadIdx.x * kItems + i];
  Differences(other).FlagHeads(flags, items, Differs());
  Histogram(storage).Histogram(items, counts);  // May sort the items.
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += kThreads) y[i] = counts[i];
  for (int i = 0; i < kItems; ++i) heads[threadIdx.x * kItems + i] = flags[i];
}
std::vector<torch::Tensor> histogram(torch::Tensor x) {
  auto y = torch::zeros({256}, x.options().dtype(torch::kInt));
  auto heads = torch::zeros({kAll}, x.options().dtype(torch::kInt));
  histogram_kernel<<<1, kThreads>>>(x.data_ptr<unsigned char>(),
                                    reinterpret_cast<unsigned*>(y.data_ptr<int>()),
                                    heads.data_ptr<int>());
  return {y, heads};
}

__global__ void scan_kernel(const int* x, int* y) {
  using Scan = cub::BlockScan<int, kThreads>;
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ typename Scan::TempStorage scan_storage[4];
  __shared__ typename Reduce::TempStorage reduce_storage;
  int items[kItems], out[kItems], sum;
  const int t = threadIdx.x;
  for (int i = 0; i < kItems; ++i) items[i] = x[t * kItems + i];
  Scan(scan_storage[0]).InclusiveSum(items, out);
  for (int i = 0; i < kItems; ++i) y[t * kItems + i] = out[i];
  Scan(scan_storage[1]).ExclusiveSum(items, out);
  for (int i = 0; i < kItems; ++i) y[kAll + t * kItems + i] = out[i];
  Scan(scan_storage[2]).InclusiveScan(items, out, [](int a, int b) { return a > b ? a : b; });
  for (int i = 0; i < kItems; ++i) y[2 * kAll + t * kItems + i] = out[i];
  int one, total;
  Scan(scan_storage[3]).ExclusiveSum(items[0], one, total);
  sum = Reduce(reduce_storage).Sum(items);
  y[3 * kAll + t] = one;
  y[3 * kAll + kThreads + t] = total;
  if (t == 0) y[3 * kAll + 2 * kThreads] = sum;
}
__global__ void warp_kernel(const int* x, int* y) {
  using Sum8 = cub::WarpReduce<int, 8>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Sum8::TempStorage eight[8];
  __shared__ typename Scan::TempStorage whole[2];
  const int t = threadIdx.x, v = x[t];
  const int sum = Sum8(eight[t / 8]).Sum(v);
  const int largest = Sum8(eight[t / 8]).Reduce(v, [](int a, int b) { return a > b ? a : b; });
  const int few = Sum8(eight[t / 8]).Sum(v, 5);
  y[t] = sum;
  if (t % 8 == 0) y[64 + t] = largest, y[128 + t] = few;
  int up, down, most;
  Scan(whole[t / 32]).InclusiveSum(v, up);
  __syncwarp();
  Scan(whole[t / 32]).ExclusiveSum(v, down);
  __syncwarp();
  Scan(whole[t / 32]).InclusiveScan(v, most, [](int a, int b) { return a > b ? a : b; });
  y[192 + t] = up;
  y[256 + t] = down;
  y[320 + t] = most;
}
std::vector<torch::Tensor> scans(torch::Tensor x) {
  auto y = torch::zeros({4, kAll}, x.options()), w = torch::zeros({6, 64}, x.options());
  scan_kernel<<<1, kThreads>>>(x.data_ptr<int>(), y.data_ptr<int>());
  warp_kernel<<<1, 64>>>(x.data_ptr<int>(), w.data_ptr<int>());
  return {y, w};
}

// Dropout and noise with generators that are kept between launches.
__global__ void init_kernel(curandStatePhilox4_32_10_t* states, unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &states[i]);
}
__global__ void noise_kernel(curandStatePhilox4_32_10_t* states, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state = states[i];
  const float4 u = curand_uniform4(&state);
  const float2 g = curand_normal2(&state);
  const float4 h = curand_normal4(&state);
  y[i] = u.x, y[n + i] = u.w, y[2 * n + i] = g.x, y[3 * n + i] = g.y, y[4 * n + i] = h.z;
  y[5 * n + i] = curand_log_normal(&state, 0.0f, 0.5f);
  y[6 * n + i] = curand_uniform_double(&state);
  y[7 * n + i] = curand_normal_double(&state);
  y[8 * n + i] = curand_poisson(&state, 3.0);
  y[9 * n + i] = (curand(&state) >> 8) * (1.0f / 16777216.0f);
  const uint4 raw = curand4(&state);
  y[10 * n + i] = (raw.y >> 8) * (1.0f / 16777216.0f);
  states[i] = state;
}
torch::Tensor noise(torch::Tensor like, int64_t n, int64_t seed) {
  auto y = torch::empty({2, 11, n}, like.options());
  curandStatePhilox4_32_10_t* states;
  cudaMalloc(&states, n * sizeof(*states));
  init_kernel<<<n / 64, 64>>>(states, seed);
  noise_kernel<<<n / 64, 64>>>(states, y.data_ptr<float>(), n);
  noise_kernel<<<n / 64, 64>>>(states, y.data_ptr<float>() + 11 * n, n);
  cudaFree(states);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("loads", &loads);
  m.def("sorts", &sorts);
  m.def("integer_sorts", &integer_sorts);
  m.def("exchanges", &exchanges);
  m.def("histogram", &histogram);
  m.def("scans", &scans);
  m.def("noise", &noise);
}
