// What orders the memory accesses of a warp's lanes and of different blocks, and what only looks as
// if it did, each beside a correct twin.
#include <torch/extension.h>
#include <cuda_runtime.h>

constexpr int kBlocks = 6, kThreads = 64;

// --- Lanes of a warp ---
__global__ void shuffled_kernel(const int* x, int* y, bool wrong) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  int sum = x[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (!wrong) __syncwarp();
  y[threadIdx.x] = sum + s[31 - threadIdx.x];  // SHUFFLED
}
__global__ void voted_kernel(const int* x, int* y, bool wrong) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  const int any = __any_sync(0xffffffffu, x[threadIdx.x] > 0);
  if (!wrong) __syncwarp();
  y[threadIdx.x] = any + s[31 - threadIdx.x];  // VOTED
}
// What a lane hands on by a shuffle is in no memory.
__global__ void handed_kernel(const int* x, int* y, bool wrong) {
  __shared__ int s[2];
  int v = x[threadIdx.x];
  const int first = __shfl_sync(0xffffffffu, v, 0);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = first;
  if (wrong) {
    v = __shfl_sync(0xffffffffu, s[threadIdx.x / 32], 0);  // HANDED
  } else {
    if (threadIdx.x % 32 == 0) v = s[threadIdx.x / 32];
    v = __shfl_sync(0xffffffffu, v, 0);
  }
  y[threadIdx.x] = v;
}

// --- The last block ---
__device__ bool Last(unsigned* tickets) {
  return atomicAdd(tickets, 1u) % gridDim.x == gridDim.x - 1;
}
__device__ void SumUp(const int* partial, int count, int* y) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += partial[i];
  y[0] = sum;
}
__global__ void leader_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  __shared__ bool last;
  partial[blockIdx.x * kThreads + threadIdx.x] = x[threadIdx.x];  // LEADER
  __syncthreads();
  if (threadIdx.x == 0) {
    if (!wrong) __threadfence();
    last = Last(tickets);
  }
  __syncthreads();
  if (last) SumUp(partial, kBlocks * kThreads, y);
}
__global__ void early_fence_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  __shared__ bool last;
  if (wrong) __threadfence();
  partial[blockIdx.x * kThreads + threadIdx.x] = x[threadIdx.x];  // EARLY_FENCE
  if (!wrong) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = Last(tickets);
  __syncthreads();
  if (last) SumUp(partial, kBlocks * kThreads, y);
}
__global__ void early_ticket_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  __shared__ bool last;
  if (threadIdx.x % 32 == 0) {
    partial[blockIdx.x * 2 + threadIdx.x / 32] = x[threadIdx.x];  // EARLY_TICKET
    __threadfence();
  }
  if (!wrong) __syncthreads();
  if (threadIdx.x == 0) last = Last(tickets);
  __syncthreads();
  if (last) SumUp(partial, kBlocks * 2, y);
}
// Lane 0 fences what its warp, the whole block, has written, and sets the counter back at the end.
__global__ void warp_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  const int lane = threadIdx.x;
  partial[blockIdx.x * 32 + lane] = x[lane];
  if (!wrong) __syncwarp();
  unsigned ticket = 0;
  if (lane == 0) {
    __threadfence();
    ticket = atomicAdd(tickets, 1u);
  }
  ticket = __shfl_sync(0xffffffffu, ticket, 0);
  if (ticket != kBlocks - 1) return;
  int sum = 0;
  for (int i = lane; i < kBlocks * 32; i += 32) sum += partial[i];  // WARP
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane != 0) return;
  y[0] = sum;
  *tickets = 0;
}
// The last block has used atomics on the same sums, and clears them by plain stores.
__global__ void accumulated_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  __shared__ bool last;
  atomicAdd(&partial[threadIdx.x % 8], x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (!wrong) __threadfence();
    last = Last(tickets);
  }
  __syncthreads();
  if (last) SumUp(partial, 8, y);
  __syncthreads();
  if (last && threadIdx.x < 8) partial[threadIdx.x] = 0;
}

// --- A chain of blocks ---
__global__ void chain_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  __shared__ int tile;
  if (threadIdx.x == 0) tile = atomicAdd(&tickets[0], 1u);
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = x[tile];
  if (tile > 0) {
    while (*(volatile unsigned*)&tickets[tile] == 0) __nanosleep(20);
    sum += partial[tile - 1];  // CHAIN
  }
  partial[tile] = sum;
  if (!wrong) __threadfence();
  atomicExch(&tickets[tile + 1], 1u);
  y[tile] = sum;
}
// What a block has read, it publishes with what it writes.
__global__ void handed_on_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  if (threadIdx.x != 0) return;
  const unsigned tile = atomicAdd(&tickets[0], 1u);
  if (tile > 0 && !wrong) {
    while (atomicAdd(&tickets[tile], 0u) == 0) __nanosleep(20);
  }
  partial[tile] = x[tile];
  __threadfence();
  atomicExch(&tickets[tile + 1], 1u);
  if (tile != kBlocks - 1) return;
  while (atomicAdd(&tickets[tile + 1], 0u) == 0) __nanosleep(20);
  y[0] = partial[0] + partial[tile];  // HANDED_ON
}
// The same with a volatile flag, which its block stores and the next one loads.
__global__ void published_kernel(const int* x, int* partial, unsigned* tickets, int* y,
                                 bool wrong) {
  volatile unsigned* const ready = tickets;
  if (threadIdx.x != 0) return;
  const unsigned tile = atomicAdd(&tickets[0], 1u);
  int sum = x[tile];
  if (tile > 0) {
    while (ready[tile] == 0) __nanosleep(20);
    __threadfence();
    sum += partial[tile - 1];  // PUBLISHED
  }
  partial[tile] = sum;
  if (!wrong) __threadfence();
  ready[tile + 1] = 1;
  y[tile] = sum;
}
__global__ void lock_kernel(const int* x, int* partial, unsigned* tickets, int* y, bool wrong) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(tickets, 0u, 1u) != 0u) __nanosleep(20);
  y[0] = y[0] + x[blockIdx.x];  // LOCK
  if (!wrong) __threadfence();
  atomicExch(tickets, 0u);
}

// --- The read-only cache ---
__global__ void read_only_kernel(const int* x, int* partial, int* y, bool wrong) {
  partial[threadIdx.x] = __ldg(&x[threadIdx.x]);
  __syncthreads();
  const int* other = &partial[kThreads - 1 - threadIdx.x];
  y[threadIdx.x] = wrong ? __ldg(other) : *other;  // READ_ONLY
}
__global__ void read_only_bytes_kernel(unsigned char* partial, int* y, bool wrong) {
  // Every second byte is read and never written, in one word with bytes that are.
  partial[2 * threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = __ldg(&partial[wrong ? threadIdx.x & ~1 : threadIdx.x | 1]);  // READ_ONLY_BYTES
}

torch::Tensor run(const std::string& what, bool wrong) {
  auto y = torch::zeros({256}, torch::kInt), x = torch::ones({256}, torch::kInt);
  auto partial = torch::zeros({kBlocks * kThreads}, torch::kInt);
  auto counters = torch::zeros({16}, torch::kInt);
  auto* tickets = reinterpret_cast<unsigned*>(counters.data_ptr<int>());
  int *out = y.data_ptr<int>(), *in = x.data_ptr<int>(), *between = partial.data_ptr<int>();
  if (what == "shuffled") shuffled_kernel<<<1, 32>>>(in, out, wrong);
  if (what == "voted") voted_kernel<<<1, 32>>>(in, out, wrong);
  if (what == "handed") handed_kernel<<<1, kThreads>>>(in, out, wrong);
  if (what == "warp") warp_kernel<<<kBlocks, 32>>>(in, between, tickets, out, wrong);
#define KM_RUN(name) \
  if (what == #name) name##_kernel<<<kBlocks, kThreads>>>(in, between, tickets, out, wrong)
  KM_RUN(leader);
  KM_RUN(early_fence);
  KM_RUN(early_ticket);
  KM_RUN(accumulated);
  KM_RUN(chain);
  KM_RUN(handed_on);
  KM_RUN(published);
  KM_RUN(lock);
  if (what == "read_only") read_only_kernel<<<1, kThreads>>>(in, between, out, wrong);
  if (what == "read_only_bytes")
    read_only_bytes_kernel<<<1, kThreads>>>(reinterpret_cast<unsigned char*>(between), out, wrong);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
