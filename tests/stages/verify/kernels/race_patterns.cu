// Data races as in real answers, each beside a correct twin.
#include <torch/extension.h>
#include <cuda_runtime.h>

// --- Within a block ---
__global__ void tile_load_kernel(const int* x, int* y, bool wrong) {
  __shared__ int a[8][8], b[8][8];
  const int r = threadIdx.y, c = threadIdx.x;
  a[r][c] = x[r * 8 + c];
  b[r][c] = x[64 + r * 8 + c];
  if (!wrong) __syncthreads();
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[r][k] * b[k][c];  // TILE_LOAD
  y[r * 8 + c] = sum;
}
__global__ void tile_reuse_kernel(const int* x, int* y, bool wrong) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  int sum = 0;
  for (int first = 0; first < 256; first += 64) {
    tile[t] = x[first + t];  // TILE_REUSE
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[k];
    if (!wrong) __syncthreads();
  }
  y[t] = sum;
}
__global__ void tail_kernel(const int* x, int* y, bool wrong) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int half = 64; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];  // TAIL
    if (half > 32 || !wrong) __syncthreads();
  }
  if (t == 0) y[0] = s[0];
}
__global__ void histogram_kernel(const int* x, int* y, bool wrong) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  if (wrong) {
    bins[x[t] & 15]++;  // HISTOGRAM
  } else {
    atomicAdd(&bins[x[t] & 15], 1);
  }
  __syncthreads();
  if (t < 16) y[t] = bins[t];
}
__global__ void clear_kernel(const int* x, int* y, bool wrong) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  if (!wrong) __syncthreads();
  atomicAdd(&bins[(x[t] + t) & 15], 1);  // CLEAR
  __syncthreads();
  if (t < 16) y[t] = bins[t];
}
__global__ void ping_pong_kernel(const int* x, int* y, bool wrong) {
  __shared__ int buffer[2][64];
  const int t = threadIdx.x;
  buffer[0][t] = x[t];
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    const int from = wrong ? 0 : round % 2, to = wrong ? 0 : 1 - from;
    buffer[to][t] = buffer[from][(t + 1) % 64];  // PING_PONG
    __syncthreads();
  }
  y[t] = buffer[0][t];
}
__global__ void scan_kernel(const int* x, int* y, bool wrong) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    if (wrong) {
      if (t >= d) s[t] += s[t - d];  // SCAN
    } else {
      const int other = t >= d ? s[t - d] : 0;
      __syncthreads();
      s[t] += other;
    }
    __syncthreads();
  }
  y[t] = s[t];
}
__global__ void transpose_kernel(const int* x, int* y, bool wrong) {
  __shared__ int tile[16][17];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];
  if (wrong) {
    __syncwarp();
  } else {
    __syncthreads();
  }
  y[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // TRANSPOSE
}
__global__ void broadcast_kernel(const int* x, int* y, bool wrong) {
  __shared__ int largest;
  if (threadIdx.x == 0) {
    largest = x[0];
    for (int i = 1; i < 64; ++i) largest = max(largest, x[i]);
  }
  if (!wrong) __syncthreads();
  y[threadIdx.x] = x[threadIdx.x] - largest;  // BROADCAST
}
__global__ void rebroadcast_kernel(const int* x, int* y, bool wrong) {
  __shared__ int mean;
  int sum = 0;
  for (int row = 0; row < 3; ++row) {
    if (threadIdx.x == 0) mean = x[row];  // REBROADCAST
    __syncthreads();
    sum += mean;
    if (!wrong) __syncthreads();
  }
  y[threadIdx.x] = sum;
}
__global__ void mixed_kernel(const int* x, int* y, bool wrong) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, x[threadIdx.x]);
  if (!wrong) __syncthreads();
  y[threadIdx.x] = total;  // MIXED
}
__global__ void leader_kernel(const int* x, int* y, bool wrong) {
  __shared__ int sums[4];
  const int t = threadIdx.x, warp = t / 32;
  int v = x[t];
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffff, v, offset);
  if (t % 32 == 0) sums[warp] = v;
  if (wrong) {
    __syncwarp();
  } else {
    __syncthreads();
  }
  y[t] = sums[0] + sums[1] + sums[2] + sums[3];  // LEADER
}
__global__ void alias_kernel(const int* x, int* y, bool wrong) {
  extern __shared__ int pool[];
  int* first = pool;
  int* second = pool + (wrong ? 32 : 64);
  first[threadIdx.x] = x[threadIdx.x];
  second[threadIdx.x] = 2 * x[threadIdx.x];  // ALIAS
  __syncthreads();
  y[threadIdx.x] = first[63 - threadIdx.x] + second[threadIdx.x];
}
__global__ void warp_sync_kernel(const int* x, int* y, bool wrong) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  s[t + 32] = 0;
  __syncwarp();
  for (int d = 16; d > 0; d >>= 1) {
    const int other = s[t + d];
    if (!wrong) __syncwarp();
    s[t] = s[t] + other;  // WARP_SYNC
    if (!wrong) __syncwarp();
  }
  if (t == 0) y[0] = s[0];
}

// --- In global memory ---
__global__ void overlap_kernel(const int* x, int* y, bool wrong) {
  const int i = blockIdx.x * (wrong ? blockDim.x - 1 : blockDim.x) + threadIdx.x;
  y[i] = x[threadIdx.x];  // OVERLAP
}
__global__ void global_sum_kernel(const int* x, int* y, bool wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (wrong) {
    y[i % 4] += x[i];  // GLOBAL_SUM
  } else {
    atomicAdd(&y[i % 4], x[i]);
  }
}
__global__ void in_place_kernel(int* x, int* y, bool wrong) {
  const int t = threadIdx.x;
  const int left = t > 0 ? x[t - 1] : 0;
  if (!wrong) __syncthreads();
  x[t] += left;  // IN_PLACE
  y[t] = left;
}
__global__ void halo_kernel(const int* x, int* y, int* scratch, bool wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* to = wrong ? scratch : y;
  to[i] = scratch[(i + 1) % (gridDim.x * blockDim.x)] + x[i];  // HALO
}
__global__ void maximum_kernel(const int* x, int* y, bool wrong) {
  const int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (!wrong) {
    atomicMax(y, v);
  } else if (v > y[0]) {
    y[0] = v;  // MAXIMUM
  }
}
__global__ void flag_kernel(const int* x, int* y, int* scratch, bool wrong) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    scratch[1 + blockIdx.x] = x[blockIdx.x];
    if (wrong) {
      scratch[0] = scratch[0] + 1;  // FLAG
      last = scratch[0] == gridDim.x;
    } else {
      __threadfence();
      last = atomicAdd(&scratch[0], 1) == gridDim.x - 1;
    }
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    for (int i = 0; i < gridDim.x; ++i) y[0] += scratch[1 + i];
  }
}
__global__ void column_kernel(const int* x, int* y, bool wrong) {
  // Each row's thread writes its column's sum over the sum of another row.
  const int row = blockIdx.x, columns = 8;
  if (threadIdx.x < columns) {
    y[wrong ? threadIdx.x : row * columns + threadIdx.x] = x[row * columns + threadIdx.x];  // COLUMN
  }
}

torch::Tensor run(const std::string& what, bool wrong) {
  auto y = torch::zeros({512}, torch::device(torch::kCUDA).dtype(torch::kInt));
  auto x = torch::arange(512, y.options()), s = torch::zeros_like(y);
  int *in = x.data_ptr<int>(), *out = y.data_ptr<int>(), *scratch = s.data_ptr<int>();
  if (what == "tile_load") tile_load_kernel<<<1, dim3(8, 8)>>>(in, out, wrong);
  if (what == "tile_reuse") tile_reuse_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "tail") tail_kernel<<<1, 128>>>(in, out, wrong);
  if (what == "histogram") histogram_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "clear") clear_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "ping_pong") ping_pong_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "scan") scan_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "transpose") transpose_kernel<<<1, dim3(16, 16)>>>(in, out, wrong);
  if (what == "broadcast") broadcast_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "rebroadcast") rebroadcast_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "mixed") mixed_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "leader") leader_kernel<<<1, 128>>>(in, out, wrong);
  if (what == "alias") alias_kernel<<<1, 64, 128 * sizeof(int)>>>(in, out, wrong);
  if (what == "warp_sync") warp_sync_kernel<<<1, 32>>>(in, out, wrong);
  if (what == "overlap") overlap_kernel<<<4, 32>>>(in, out, wrong);
  if (what == "global_sum") global_sum_kernel<<<2, 32>>>(in, out, wrong);
  if (what == "in_place") in_place_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "halo") halo_kernel<<<4, 32>>>(in, out, scratch, wrong);
  if (what == "maximum") maximum_kernel<<<4, 32>>>(in, out, wrong);
  if (what == "flag") flag_kernel<<<4, 32>>>(in, out, scratch, wrong);
  if (what == "column") column_kernel<<<4, 32>>>(in, out, wrong);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
