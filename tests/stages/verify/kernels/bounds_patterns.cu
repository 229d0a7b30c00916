// Accesses one element out of bounds in every kind of memory, as in real answers, each beside a
// correct twin.
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__constant__ float filter[9];
__device__ float table[16];
struct Row {
  float values[6];
  int count;
};

// --- Global memory ---
__global__ void before_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float left = i > 0 || wrong ? x[i - 1] : 0.0f;  // BEFORE
  y[i] = x[i] - left;
}
__global__ void write_before_kernel(float* y, int n, bool wrong) {
  const int i = threadIdx.x;
  if (i < n) y[wrong ? i - 1 : i] = 1.0f;  // WRITE_BEFORE
}
__global__ void corner_kernel(const float* x, float* y, int rows, int columns, bool wrong) {
  const int r = threadIdx.y, c = threadIdx.x;
  const bool inside = wrong || (r + 1 < rows && c + 1 < columns);
  y[r * columns + c] = inside ? x[(r + 1) * columns + c + 1] : 0.0f;  // CORNER
}
__global__ void loop_kernel(const float* x, float* y, int n, bool wrong) {
  float sum = 0.0f;
  for (int i = 0; i < n + (wrong ? 1 : 0); ++i) {
    sum += x[i];  // LOOP
  }
  y[threadIdx.x] = sum;
}
__global__ void tail_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!wrong && i >= n) return;
  y[i] = x[i] * 2.0f;  // TAIL
}
__global__ void vector_end_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = threadIdx.x * 4;
  if (i + (wrong ? 0 : 3) < n) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);  // VECTOR_END
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
  }
}
// Of the last vector only the elements are used that there are.
__global__ void vector_rest_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = threadIdx.x * 4;
  if (i + (wrong ? 0 : 3) >= n) return;
  const float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x];  // VECTOR_REST
  y[threadIdx.x] = i + 3 < n ? v.x + v.w : v.x;  // VECTOR_REST
}
__global__ void cached_rest_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = threadIdx.x * 4;
  if (i + (wrong ? 0 : 3) >= n) return;
  const float4 v = __ldg(reinterpret_cast<const float4*>(x) + threadIdx.x);  // CACHED_REST
  y[threadIdx.x] = i + 3 < n ? v.x + v.w : v.x;  // CACHED_REST
}
__global__ void halo_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = threadIdx.x;
  float sum = 0.0f;
  for (int k = -1; k <= 1; ++k) {
    if (wrong || (i + k >= 0 && i + k < n)) {
      sum += x[i + k] * filter[k + 1];  // HALO
    }
  }
  y[i] = sum;
}
__global__ void cached_kernel(const float* x, float* y, int n, bool wrong) {
  const int i = threadIdx.x;
  y[i] = i + 1 < n || wrong ? __ldg(&x[i + 1]) : 0.0f;  // CACHED
}
__global__ void half_kernel(const __half* x, float* y, int n, bool wrong) {
  const int i = threadIdx.x;
  if (2 * i + (wrong ? 0 : 1) < n) {
    y[i] = __half2float(x[2 * i]) + __half2float(x[2 * i + 1]);  // HALF
  }
}
__global__ void gather_kernel(const float* x, const int* index, float* y, int n, bool wrong) {
  const int at = index[threadIdx.x];
  y[threadIdx.x] = wrong || at < n ? x[at] : 0.0f;  // GATHER
}
__global__ void column_kernel(float* y, int rows, int columns, bool wrong) {
  // Rows and columns are exchanged, so the last row is out of bounds.
  const int r = threadIdx.y, c = threadIdx.x;
  y[wrong ? r * (columns + 1) + c : r * columns + c] = 1.0f;  // COLUMN
}

// --- Shared memory ---
__global__ void shared_before_kernel(float* y, bool wrong) {
  __shared__ float guard[32];
  __shared__ float s[32];
  guard[threadIdx.x] = 0.0f;
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  const float* p = s;
  y[threadIdx.x] = threadIdx.x > 0 || wrong ? p[(int)threadIdx.x - 1] : guard[0];  // SHARED_BEFORE
}
__global__ void shared_row_kernel(float* y, int width, bool wrong) {
  __shared__ float tile[4][8];
  for (int c = 0; c < 8; ++c) tile[threadIdx.x % 4][c] = c;
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x % 4][wrong ? width : 7];  // SHARED_ROW
}
__global__ void too_little_kernel(float* y, bool wrong) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1.0f;  // TOO_LITTLE
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];  // TOO_LITTLE
}
__global__ void bins_kernel(const int* index, float* y, bool wrong) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[wrong ? index[threadIdx.x] : index[threadIdx.x] % 8], 1);  // BINS
  __syncthreads();
  if (threadIdx.x < 8) y[threadIdx.x] = bins[threadIdx.x];
}
__global__ void halo_tile_kernel(const float* x, float* y, bool wrong) {
  __shared__ float s[34];
  const int t = threadIdx.x;
  s[t + 1] = x[t];
  if (t == 0) s[0] = 0.0f;
  if (t == 31) s[wrong ? 34 : 33] = 0.0f;  // HALO_TILE
  __syncthreads();
  y[t] = s[t] + s[t + 1];
}

// --- Local, constant and the device's own variables ---
__global__ void local_before_kernel(const int* index, float* y, bool wrong) {
  float kept[4] = {1, 2, 3, 4};
  y[threadIdx.x] = kept[(index[threadIdx.x] & 3) - (wrong ? 1 : 0)];  // LOCAL_BEFORE
}
__global__ void local_top_kernel(const float* x, float* y, bool wrong) {
  float best[5];
  for (int k = 0; k < 5; ++k) best[k] = -1e30f;
  for (int i = 0; i < 16; ++i) {
    int k = 4;
    while (k > 0 && x[i] > best[k - 1]) --k;
    for (int j = wrong ? 5 : 4; j > k; --j) {
      best[j] = best[j - 1];  // LOCAL_TOP
    }
    best[k] = x[i];
  }
  y[threadIdx.x] = best[threadIdx.x % 5];
}
__global__ void member_kernel(float* y, int n, bool wrong) {
  Row row;
  for (int i = 0; i < 6; ++i) row.values[i] = i;
  row.count = 6;
  y[threadIdx.x] = row.values[wrong ? n : row.count - 1];  // MEMBER
}
__global__ void constant_kernel(const float* x, float* y, int radius, bool wrong) {
  float sum = 0.0f;
  for (int k = 0; k <= radius * 2 + (wrong ? 1 : 0); ++k) {
    sum += filter[k];  // CONSTANT
  }
  y[threadIdx.x] = sum;
}
__global__ void table_kernel(const int* index, float* y, bool wrong) {
  table[wrong ? index[threadIdx.x] + 1 : index[threadIdx.x] & 15] = 1.0f;  // TABLE
  y[threadIdx.x] = 1.0f;
}

// --- Indices that overflow ---
__global__ void product_kernel(const float* x, float* y, int row, int stride, bool wrong) {
  // 40000 * 70000 overflows int.
  const int at = row * stride;
  y[threadIdx.x] = wrong ? x[at] : x[at % 8 & 7];  // PRODUCT
}
__global__ void wrap_kernel(const float* x, float* y, int n, bool wrong) {
  const unsigned i = threadIdx.x;
  if (i >= n) return;
  y[i] = wrong || i > 0 ? x[i - 1u] : 0.0f;  // WRAP
}
__global__ void backwards_kernel(const float* x, float* y, int n, bool wrong) {
  float sum = 0.0f;
  unsigned i = n - 1;
  for (int round = 0; round <= n - (wrong ? 0 : 1); ++round, --i) {
    sum += x[i];  // BACKWARDS
  }
  y[threadIdx.x] = sum;
}
__global__ void narrow_kernel(const float* x, float* y, long long offset, bool wrong) {
  const int at = static_cast<int>(offset);
  y[threadIdx.x] = x[wrong ? at : offset & 7];  // NARROW
}

// --- Memory that is gone ---
__global__ void read_kernel(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // FREED_BUFFER
}
__global__ void read_tensor_kernel(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // FREED_TENSOR
}
__global__ void write_kernel(float* y) {
  y[threadIdx.x] = 1.0f;  // FREED_ASYNC
}
__global__ void managed_kernel(const float* x, float* y) {
  y[threadIdx.x] += x[threadIdx.x];  // FREED_MANAGED
}

torch::Tensor run(const std::string& what, bool wrong) {
  const int n = 31;
  const auto options = torch::device(torch::kCUDA).dtype(torch::kFloat);
  auto x = torch::ones({n}, options), y = torch::empty({64}, options), exact = torch::empty({n}, options);
  auto grid = torch::ones({4, 6}, options), out = torch::empty({4, 6}, options);
  auto halves = torch::ones({n}, options.dtype(torch::kHalf));
  auto index = torch::arange(32, options.dtype(torch::kInt));
  const float *px = x.data_ptr<float>(), *pg = grid.data_ptr<float>();
  float *py = y.data_ptr<float>(), *pe = exact.data_ptr<float>(), *po = out.data_ptr<float>();
  const int* pi = index.data_ptr<int>();
  auto row = torch::ones({32}, options);
  const float* long_row = row.data_ptr<float>();
  if (what == "before") before_kernel<<<1, 32>>>(px, py, n, wrong);
  if (what == "write_before") write_before_kernel<<<1, 32>>>(pe, n, wrong);
  if (what == "corner") corner_kernel<<<1, dim3(6, 4)>>>(pg, po, 4, 6, wrong);
  if (what == "loop") loop_kernel<<<1, 4>>>(px, py, n, wrong);
  if (what == "tail") tail_kernel<<<2, 16>>>(px, pe, n, wrong);
  if (what == "vector_end") vector_end_kernel<<<1, 8>>>(px, py, n, wrong);
  if (what == "vector_rest") vector_rest_kernel<<<1, 8>>>(px, py, n, wrong);
  if (what == "cached_rest") cached_rest_kernel<<<1, 8>>>(px, py, n, wrong);
  if (what == "halo") halo_kernel<<<1, n>>>(px, py, n, wrong);
  if (what == "cached") cached_kernel<<<1, n>>>(px, py, n, wrong);
  if (what == "half") {
    half_kernel<<<1, 16>>>(reinterpret_cast<const __half*>(halves.data_ptr<at::Half>()), py, n, wrong);
  }
  if (what == "gather") gather_kernel<<<1, 32>>>(px, pi, py, n, wrong);
  if (what == "column") column_kernel<<<1, dim3(6, 4)>>>(po, 4, 6, wrong);
  if (what == "shared_before") shared_before_kernel<<<1, 32>>>(py, wrong);
  if (what == "shared_row") shared_row_kernel<<<1, 4>>>(py, 8, wrong);
  if (what == "too_little") too_little_kernel<<<1, 64, wrong ? 63 * 4 : 64 * 4>>>(py, wrong);
  if (what == "bins") bins_kernel<<<1, 9>>>(pi, py, wrong);
  if (what == "halo_tile") halo_tile_kernel<<<1, 32>>>(long_row, py, wrong);
  if (what == "local_before") local_before_kernel<<<1, 8>>>(pi, py, wrong);
  if (what == "local_top") local_top_kernel<<<1, 8>>>(px, py, wrong);
  if (what == "member") member_kernel<<<1, 8>>>(py, 6, wrong);
  if (what == "constant") constant_kernel<<<1, 8>>>(px, py, 4, wrong);
  if (what == "table") table_kernel<<<1, 16>>>(pi, py, wrong);
  if (what == "product") product_kernel<<<1, 1>>>(px, py, 40000, 70000, wrong);
  if (what == "wrap") wrap_kernel<<<1, 32>>>(px, py, n, wrong);
  if (what == "backwards") backwards_kernel<<<1, 1>>>(px, py, n, wrong);
  if (what == "narrow") narrow_kernel<<<1, 1>>>(px, py, 3000000000ll, wrong);
  if (what == "freed_buffer" || what == "freed_async" || what == "freed_managed") {
    float* buffer = nullptr;
    if (what == "freed_managed") {
      cudaMallocManaged(&buffer, 256);
    } else {
      cudaMalloc(&buffer, 256);
    }
    cudaMemset(buffer, 0, 256);
    if (wrong) what == "freed_async" ? cudaFreeAsync(buffer, 0) : cudaFree(buffer);
    if (what == "freed_buffer") read_kernel<<<1, 8>>>(buffer, py);
    if (what == "freed_async") write_kernel<<<1, 8>>>(buffer);
    if (what == "freed_managed") managed_kernel<<<1, 8>>>(buffer, pe);
    if (!wrong) cudaFree(buffer);
  }
  if (what == "freed_tensor") {
    const float* kept = nullptr;
    torch::Tensor copy = x.clone();
    kept = copy.data_ptr<float>();
    if (wrong) copy = torch::Tensor();
    read_tensor_kernel<<<1, 8>>>(kept, py);
  }
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
