// Asynchronous copies and what waits for them: cp.async, the pipeline functions, libcu++'s barriers
// and pipelines; and inline PTX that accesses memory. Each bug has a correct twin.
#include <torch/extension.h>
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cstdint>

namespace cg = cooperative_groups;
constexpr int kThreads = 64, kTile = 4 * kThreads;

__device__ __forceinline__ uint32_t at_shared(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
#define CP_ASYNC(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from))
#define CP_COMMIT asm volatile("cp.async.commit_group;\n" ::: "memory")
#define CP_WAIT(n) asm volatile("cp.async.wait_group " #n ";\n" ::: "memory")

// y = x, element by element from another thread's copy, two tiles in flight.
__global__ void staged(const float* x, float* y, int tiles, bool wrong) {
  __shared__ __align__(16) float buffer[2][kTile];
  const int t = threadIdx.x;
  CP_ASYNC(at_shared(&buffer[0][4 * t]), x + 4 * t);
  CP_COMMIT;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      CP_ASYNC(at_shared(&buffer[(tile + 1) % 2][4 * t]), x + (tile + 1) * kTile + 4 * t);
    }
    CP_COMMIT;
    if (wrong) {
      CP_WAIT(1);  // The barrier is missing. // BARRIER
    } else {
      CP_WAIT(1);
      __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
      const int from = i * kThreads + kThreads - 1 - t;
      y[tile * kTile + from] = buffer[tile % 2][from];  // BARRIER
    }
    __syncthreads();
  }
}
__global__ void awaited(const float* x, float* y, bool wrong) {
  __shared__ __align__(16) float buffer[kTile];
  const int t = threadIdx.x;
  CP_ASYNC(at_shared(buffer + 4 * t), x + 4 * t);
  CP_COMMIT;
  if (!wrong) asm volatile("cp.async.wait_all;");
  __syncthreads();
  y[t] = buffer[kTile - 1 - t];  // AWAITED
}
__global__ void groups(const float* x, float* y, bool wrong) {
  __shared__ __align__(16) float buffer[kTile];
  const int t = threadIdx.x;
  CP_ASYNC(at_shared(buffer + 4 * t), x + 4 * t);
  if (!wrong) CP_COMMIT;
  CP_WAIT(0);  // Waits for nothing that is in no group.
  __syncthreads();
  y[t] = buffer[kTile - 1 - t];  // GROUPS
}
__global__ void source(const float* x, float* y, int n, bool wrong) {
  __shared__ __align__(16) float buffer[kTile];
  const int t = threadIdx.x, first = wrong ? 4 * t + 4 : 4 * t;
  CP_ASYNC(at_shared(buffer + 4 * t), x + n - kTile + first);  // SOURCE
  CP_COMMIT;
  CP_WAIT(0);
  __syncthreads();
  y[t] = buffer[kTile - 1 - t];
}
__global__ void destination(const float* x, float* y, bool wrong) {
  __shared__ __align__(16) float buffer[kTile];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(buffer + 4 * t + (wrong ? 4 : 0), x + 4 * t, 16);  // DESTINATION
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[t] = buffer[kTile - 4 - t];
}
__global__ void misaligned(const float* x, float* y, bool wrong) {
  __shared__ __align__(16) float buffer[kTile];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(buffer + 4 * t, x + 4 * t + (wrong ? 2 : 0), 16);  // MISALIGNED
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[t] = buffer[kTile - 1 - t];
}
__global__ void window(const float* x, float* y, bool wrong) {
  __shared__ float buffer[kThreads];
  const int t = threadIdx.x;
  const uint64_t address = wrong ? (uint64_t)(buffer + t) : __cvta_generic_to_shared(buffer + t);
  asm volatile("st.shared.f32 [%0], %1;" ::"l"(address), "f"(x[t]));  // WINDOW
  __syncthreads();
  y[t] = buffer[kThreads - 1 - t];
}
__global__ void space(const float* x, float* y, bool wrong) {
  __shared__ float buffer[kThreads];
  const int t = threadIdx.x;
  buffer[t] = x[t];
  const float* from = wrong ? buffer + t : x + t;
  float v;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from));  // SPACE
  y[t] = v;
}
__global__ void vector(const float* x, float* y, int n, bool wrong) {
  const int t = threadIdx.x;
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4 + 16];"  // VECTOR
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(x + n - 4 * kThreads - (wrong ? 0 : 4) + 4 * t));
  asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(y + 2 * t), "f"(v.x + v.z), "f"(v.y));
}
__global__ void stored(const float* x, float* y, bool wrong) {
  const int t = threadIdx.x;
  asm volatile("st.global.f32 [%0], %1;" ::"l"(y + (wrong ? t / 2 : t)), "f"(x[t]));  // STORED
}
__global__ void arrived(const float* x, float* y, bool wrong) {
  __shared__ __align__(16) float buffer[kTile];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, buffer, x, cuda::aligned_size_t<16>(sizeof(float) * kTile), barrier);
  auto token = barrier.arrive();
  const float early = wrong ? buffer[threadIdx.x] : 0.0f;  // ARRIVED
  barrier.wait(std::move(token));
  y[threadIdx.x] = buffer[kTile - 1 - threadIdx.x] + early;  // ARRIVED
}
__global__ void counted(const float* x, float* y, bool wrong) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ float buffer[kThreads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x + (wrong ? 1 : 0));
  __syncthreads();
  buffer[threadIdx.x] = x[threadIdx.x];
  barrier.arrive_and_wait();  // COUNTED
  y[threadIdx.x] = buffer[kThreads - 1 - threadIdx.x];
}
// The first warp copies, the second one computes.
__global__ void halves(const float* x, float* y, int tiles, bool wrong) {
  __shared__ __align__(16) float buffer[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const bool producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int tile = 0; tile < tiles; ++tile) {
    const int i = threadIdx.x % 32;
    if (producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[tile % 2][i], x + tile * 32 + i, sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      if (!wrong) pipe.consumer_wait();
      y[tile * 32 + i] = buffer[tile % 2][31 - i];  // HALVES
      pipe.consumer_release();
    }
  }
}
__global__ void unified(const float* x, float* y, int tiles, bool wrong) {
  __shared__ float buffer[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int fetched = 0, tile = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + 2; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetched % 2], x + fetched * kThreads,
                         sizeof(float) * kThreads, pipe);
      pipe.producer_commit();
    }
    if (!wrong) pipe.consumer_wait();
    y[tile * kThreads + threadIdx.x] = buffer[tile % 2][kThreads - 1 - threadIdx.x];  // UNIFIED
    pipe.consumer_release();
  }
}
// Named barriers: the first warp writes, the second one reads.
__global__ void named(const float* x, float* y, bool wrong) {
  __shared__ float buffer[32];
  const int i = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    buffer[i] = x[i];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    if (!wrong) asm volatile("bar.sync 1, %0;" ::"r"(64) : "memory");
    y[i] = buffer[31 - i];  // NAMED
  }
}
// Blocks add their sums; the last one writes them out.
__global__ void last_block(const float* x, float* y, float* sums, unsigned* count, bool wrong) {
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = x[blockIdx.x];  // LAST_BLOCK
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrivals(*count);
  const unsigned before = arrivals.fetch_add(1u, wrong ? cuda::memory_order_relaxed
                                                       : cuda::memory_order_acq_rel);
  if (before + 1 < gridDim.x) return;
  for (unsigned i = 0; i < gridDim.x; ++i) y[i] = sums[i];  // LAST_BLOCK
}
__global__ void ptx_last_block(const float* x, float* y, float* sums, unsigned* count, bool wrong) {
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = x[blockIdx.x];  // PTX_LAST_BLOCK
  unsigned before;
  if (!wrong) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(count), "r"(1u) : "memory");
  if (before + 1 < gridDim.x) return;
  for (unsigned i = 0; i < gridDim.x; ++i) y[i] = sums[i];  // PTX_LAST_BLOCK
}

torch::Tensor run(std::string what, torch::Tensor x, bool wrong) {
  const int n = x.numel(), tiles = n / kTile;
  auto y = torch::zeros_like(x);
  auto sums = torch::zeros_like(x);
  auto count = torch::zeros({1}, x.options().dtype(torch::kInt));
  const float* in = x.data_ptr<float>();
  float* out = y.data_ptr<float>();
  auto* counter = reinterpret_cast<unsigned*>(count.data_ptr<int>());
  if (what == "barrier") staged<<<1, kThreads>>>(in, out, tiles, wrong);
  if (what == "awaited") awaited<<<1, kThreads>>>(in, out, wrong);
  if (what == "groups") groups<<<1, kThreads>>>(in, out, wrong);
  if (what == "source") source<<<1, kThreads>>>(in, out, n, wrong);
  if (what == "destination") destination<<<1, kThreads>>>(in, out, wrong);
  if (what == "misaligned") misaligned<<<1, kThreads>>>(in, out, wrong);
  if (what == "window") window<<<1, kThreads>>>(in, out, wrong);
  if (what == "space") space<<<1, kThreads>>>(in, out, wrong);
  if (what == "vector") vector<<<1, kThreads>>>(in, out, n, wrong);
  if (what == "stored") stored<<<1, kThreads>>>(in, out, wrong);
  if (what == "arrived") arrived<<<1, kThreads>>>(in, out, wrong);
  if (what == "counted") counted<<<1, kThreads>>>(in, out, wrong);
  if (what == "halves") halves<<<1, 64>>>(in, out, n / 32, wrong);
  if (what == "unified") unified<<<1, kThreads>>>(in, out, n / kThreads, wrong);
  if (what == "named") named<<<1, 64>>>(in, out, wrong);
  if (what == "last_block") {
    last_block<<<8, 32>>>(in, out, sums.data_ptr<float>(), counter, wrong);
  }
  if (what == "ptx_last_block") {
    ptx_last_block<<<8, 32>>>(in, out, sums.data_ptr<float>(), counter, wrong);
  }
  return y;
}

// Copies with zeros behind them, and one that reads nothing.
__global__ void zeros_kernel(const float* x, float* y, int n) {
  __shared__ __align__(16) float buffer[4 * 32];
  const int t = threadIdx.x, left = min(max(n - 4 * t, 0), 4);
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(at_shared(buffer + 4 * t)),
               "l"(left > 0 ? x + 4 * t : x), "r"(4 * left));
  CP_COMMIT;
  CP_WAIT(0);
  __syncwarp();
  for (int i = t; i < 128; i += 32) y[i] = buffer[i];
  __syncwarp();
  __pipeline_memcpy_async(buffer + 4 * t, x, 16, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  for (int i = t; i < 128; i += 32) y[128 + i] = buffer[i];
}
torch::Tensor zeros(torch::Tensor x) {
  auto y = torch::empty({256}, x.options());
  zeros_kernel<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

// libcu++'s atomics and those of PTX, each in one element.
__global__ void atomic_kernel(int* y) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> total;
  if (threadIdx.x == 0) total.store(5, cuda::std::memory_order_relaxed);
  __syncthreads();
  total.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) y[0] = total.load();
  cuda::atomic_ref<int> sum(y[1]), most(y[2]), bits(y[3]), taken(y[4]);
  sum += 2;
  most.fetch_max(i);
  bits |= 1 << threadIdx.x % 16;
  int expected = 0;
  if (taken.compare_exchange_strong(expected, 7)) atomicAdd(y + 5, 1);
  int before;
  asm volatile("atom.add.s32 %0, [%1], 3;" : "=r"(before) : "l"(y + 6));
  asm volatile("red.global.max.s32 [%0], %1;" ::"l"(y + 7), "r"(before));
  asm volatile("atom.global.cas.b32 %0, [%1], 0, 9;" : "=r"(before) : "l"(y + 8));
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(y + 9), "f"(0.5f));
}
torch::Tensor atomics(int blocks) {
  auto y = torch::zeros({10}, torch::dtype(torch::kInt).device(torch::kCUDA));
  atomic_kernel<<<blocks, 64>>>(y.data_ptr<int>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("run_on", &run);
  m.def("zeros", &zeros);
  m.def("atomics", &atomics);
}
