// Two kernels, where the second needs the first one's result, on streams that are joined in several
// ways, or are not.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

__global__ void twice_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
__global__ void add_kernel(const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

struct Streams {
  cudaStream_t apart, blocking;
  cudaEvent_t before, after;
  Streams() {
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking);
    cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&after, cudaEventDisableTiming);
  }
};

// 3 * x. `how`: what orders the kernels.
torch::Tensor thrice(torch::Tensor x, std::string how) {
  static Streams streams;
  auto y = torch::empty_like(x), z = torch::empty_like(x);
  const int n = x.numel(), blocks = (n + 127) / 128;
  const cudaStream_t main = at::cuda::getCurrentCUDAStream();
  const auto twice = [&](cudaStream_t stream) {
    twice_kernel<<<blocks, 128, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  };
  const auto add = [&](cudaStream_t stream) {
    add_kernel<<<blocks, 128, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                           z.data_ptr<float>(), n);
  };
  if (how == "one stream") {
    twice(main);
    add(main);
  } else if (how == "event") {
    twice(streams.apart);
    cudaEventRecord(streams.after, streams.apart);
    cudaStreamWaitEvent(main, streams.after, 0);
    add(main);
  } else if (how == "event of torch") {
    at::cuda::CUDAEvent done;
    const auto side = at::cuda::getStreamFromPool();
    twice(side);
    done.record(side);
    done.block(at::cuda::getCurrentCUDAStream());
    add(main);
  } else if (how == "wait of the host") {
    twice(streams.apart);
    cudaStreamSynchronize(streams.apart);
    add(main);
  } else if (how == "default stream") {
    twice(streams.blocking);
    add(main);
  } else if (how == "guard") {
    {
      const c10::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool());
      y.copy_(x);
      y.add_(x);
      cudaDeviceSynchronize();
    }
    add(main);
  } else if (how == "nothing") {
    twice(streams.apart);
    add(main);
  } else if (how == "nothing the other way") {
    twice(main);
    add(streams.apart);
  } else if (how == "event too early") {
    cudaEventRecord(streams.before, main);
    twice(main);
    cudaStreamWaitEvent(streams.apart, streams.before, 0);
    add(streams.apart);
  } else if (how == "guard and nothing") {
    {
      const c10::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool());
      y.copy_(x);
      y.add_(x);
    }
    add(main);
  }
  return z;
}

// 2 * x + number, where the number comes from pinned memory that is changed before, or after, the
// copy from it has been waited for.
torch::Tensor staged(torch::Tensor x, double number, bool waits) {
  static float* memory = nullptr;
  if (memory == nullptr) cudaMallocHost(&memory, sizeof(float));
  auto y = torch::empty_like(x), z = torch::empty_like(x), given = torch::empty({1}, x.options());
  const int n = x.numel();
  *memory = number;
  cudaMemcpyAsync(given.data_ptr<float>(), memory, sizeof(float), cudaMemcpyHostToDevice);
  twice_kernel<<<1, n>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  add_kernel<<<1, n>>>(y.data_ptr<float>(), given.expand({n}).contiguous().data_ptr<float>(),
                       z.data_ptr<float>(), n);
  if (waits) cudaStreamSynchronize(nullptr);
  *memory = 0;
  return z;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("thrice", &thrice);
  m.def("staged", &staged);
}
