// Host code that accesses device memory and kernels that access host memory, each beside a correct
// twin.
#include <torch/extension.h>
#include <cuda_runtime.h>

#include <numeric>

__global__ void add_kernel(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i];  // ADD
}
__global__ void scale_kernel(const float* x, const float* scale, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * scale[0];  // SCALE
}
__global__ void count_kernel(int* counter) { atomicAdd(counter, 1); }  // COUNT
__global__ void gather_kernel(const float* x, const int* at, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[at[i]];  // GATHER
}
__global__ void rows_kernel(const float* const* rows, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = rows[0][i] + rows[1][i];  // ROWS
}
__global__ void named_kernel(const float* x, const char* name, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = name != nullptr ? 2.0f * x[i] : 0.0f;
}
__constant__ float factor;
__device__ float total;
__managed__ float shift;
__global__ void symbols_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) total = factor + shift;
  if (i < n) y[i] = x[i] * factor + shift;
}

constexpr int kThreads = 64;
int Blocks(int n) { return (n + kThreads - 1) / kThreads; }
torch::Tensor sum_of(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty_like(a);
  const int n = a.numel();
  add_kernel<<<Blocks(n), kThreads>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                      y.data_ptr<float>(), n);
  return y;
}

// Errors on every device: host code accesses device memory.
float host_wrong(const std::string& what, torch::Tensor x) {
  const int n = x.numel();
  float sum = 0.0f;
  if (what == "reads_input") {
    const float* p = x.data_ptr<float>();
    for (int i = 0; i < n; ++i) sum += p[i];  // reads_input
  } else if (what == "writes_input") {
    x.data_ptr<float>()[1] = 3.0f;  // writes_input
  } else if (what == "reads_result") {
    auto y = sum_of(x, x);
    sum = y.data_ptr<float>()[0];  // reads_result
  } else if (what == "writes_result") {
    auto y = sum_of(x, x);
    y.data_ptr<float>()[0] = 1.0f;  // writes_result
    sum = y.sum().item<float>();
  } else if (what == "accessor") {
    auto a = x.accessor<float, 1>();
    sum = a[n - 1];  // accessor
  } else if (what == "copies") {
    std::vector<float> host(n);
    memcpy(host.data(), x.data_ptr<float>(), n * sizeof(float));  // copies
    sum = host[0];
  } else if (what == "algorithm") {
    const float* p = x.data_ptr<float>();
    sum = std::accumulate(p, p + n, 0.0f);  // algorithm
  } else if (what == "allocated") {
    float* d = nullptr;
    cudaMalloc(&d, n * sizeof(float));
    d[0] = 1.0f;  // allocated
    cudaFree(d);
  } else if (what == "allocated_result") {
    int* counter = nullptr;
    cudaMalloc(&counter, sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    count_kernel<<<1, 32>>>(counter);
    sum = *counter;  // allocated_result
    cudaFree(counter);
  } else if (what == "symbol") {
    total = 1.0f;  // symbol
  } else if (what == "after_operator") {
    auto y = x.contiguous() + 1.0f;
    sum_of(y, y);
    sum = y.data_ptr<float>()[0];  // after_operator
  }
  return sum;
}

// Kernels access host memory.
torch::Tensor kernel_wrong(const std::string& what, torch::Tensor x) {
  const int n = x.numel(), blocks = Blocks(n);
  auto y = torch::zeros_like(x);
  const float* p = x.data_ptr<float>();
  float* q = y.data_ptr<float>();
  float scale = 2.0f;
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (what == "stack") {
    scale_kernel<<<blocks, kThreads>>>(p, &scale, q, n);  // SCALE
  } else if (what == "vector") {
    gather_kernel<<<blocks, kThreads>>>(p, order.data(), q, n);  // GATHER
  } else if (what == "malloc") {
    int* counter = static_cast<int*>(malloc(sizeof(int)));
    *counter = 0;
    count_kernel<<<1, 32>>>(counter);  // COUNT
    free(counter);
  } else if (what == "tensor") {
    auto at = torch::empty({n}, torch::kInt32);
    std::copy(order.begin(), order.end(), at.data_ptr<int>());
    gather_kernel<<<blocks, kThreads>>>(p, at.data_ptr<int>(), q, n);  // GATHER
  } else if (what == "no_device") {
    auto at = torch::arange(n, torch::kInt32);
    gather_kernel<<<blocks, kThreads>>>(p, at.data_ptr<int>(), q, n);  // GATHER
  } else if (what == "pointers") {
    const float* rows[2] = {p, p};
    rows_kernel<<<blocks, kThreads>>>(rows, q, n);  // ROWS
  } else if (what == "out") {
    std::vector<float> out(n);
    add_kernel<<<blocks, kThreads>>>(p, p, out.data(), n);  // ADD
  }
  return y;
}

// Each of these computes 2 * x.
torch::Tensor right(const std::string& what, torch::Tensor x) {
  const int n = x.numel(), blocks = Blocks(n);
  auto y = torch::empty_like(x);
  const float* p = x.data_ptr<float>();
  float* q = y.data_ptr<float>();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (what == "add") return sum_of(x, x);
  if (what == "add_in_place") {
    add_kernel<<<blocks, kThreads>>>(p, p, x.data_ptr<float>(), n);
    return x;
  }
  if (what == "item") {
    auto two = torch::full({1}, 2.0f, x.options());
    scale_kernel<<<blocks, kThreads>>>(p, two.data_ptr<float>(), q, n);
    const float first = y[0].item<float>(), before = x[0].item<float>();
    return first == 2.0f * before ? y : x;
  }
  if (what == "cpu") {
    auto host = x.cpu();
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += host.data_ptr<float>()[i];
    return sum == sum ? sum_of(x, x) : x;
  }
  if (what == "to_cpu") {
    auto done = sum_of(x, x);
    auto host = done.to(torch::kCPU);
    return host.accessor<float, 1>()[0] == 2.0f * x[0].item<float>() ? done : x;
  }
  if (what == "tensor_of_list" || what == "tensor_on_device" || what == "from_blob" ||
      what == "filled" || what == "moved" || what == "made_on_device") {
    std::vector<int64_t> wide(order.begin(), order.end());
    torch::Tensor at;
    if (what == "tensor_of_list") {
      at = torch::tensor(wide).to(torch::kInt32).to(x.device());
    } else if (what == "tensor_on_device") {
      at = torch::tensor(order, x.options().dtype(torch::kInt32));
    } else if (what == "moved") {
      at = torch::arange(n, torch::kInt32).to(torch::kCUDA);
    } else if (what == "made_on_device") {
      at = torch::arange(n, torch::TensorOptions().dtype(torch::kInt32).device(torch::kCUDA));
    } else if (what == "from_blob") {
      at = torch::from_blob(order.data(), {n}, torch::kInt32).to(torch::kCUDA);
    } else {
      auto host = torch::empty({n}, torch::kInt32);
      for (int i = 0; i < n; ++i) host.data_ptr<int>()[i] = i;
      at = host.to(x.device());
    }
    gather_kernel<<<blocks, kThreads>>>(p, at.data_ptr<int>(), q, n);
    return sum_of(y, x);
  }
  if (what == "filled_and_copied") {
    auto host = torch::empty({n}, torch::kInt32);
    for (int i = 0; i < n; ++i) host.data_ptr<int>()[i] = i;
    auto at = torch::empty({n}, x.options().dtype(torch::kInt32));
    at.copy_(host);
    gather_kernel<<<blocks, kThreads>>>(p, at.data_ptr<int>(), q, n);
    return sum_of(y, x);
  }
  if (what == "copied") {
    int* at = nullptr;
    cudaMalloc(&at, n * sizeof(int));
    cudaMemcpy(at, order.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    gather_kernel<<<blocks, kThreads>>>(p, at, q, n);
    std::vector<float> back(n);
    cudaMemcpy(back.data(), q, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(at);
    return back[0] == x[0].item<float>() ? sum_of(y, x) : x;
  }
  if (what == "copied_into_tensor") {
    auto at = torch::empty({n}, x.options().dtype(torch::kInt32));
    cudaMemcpyAsync(at.data_ptr<int>(), order.data(), n * sizeof(int), cudaMemcpyHostToDevice,
                    nullptr);
    gather_kernel<<<blocks, kThreads>>>(p, at.data_ptr<int>(), q, n);
    return sum_of(y, x);
  }
  if (what == "managed" || what == "pinned") {
    float* scale = nullptr;
    if (what == "managed") {
      cudaMallocManaged(&scale, sizeof(float));
    } else {
      cudaHostAlloc(&scale, sizeof(float), cudaHostAllocMapped);
    }
    *scale = 2.0f;
    scale_kernel<<<blocks, kThreads>>>(p, scale, q, n);
    *scale += 1.0f;
    const bool kept = *scale == 3.0f;
    what == "managed" ? cudaFree(scale) : cudaFreeHost(scale);
    return kept ? y : x;
  }
  if (what == "managed_result") {
    float* result = nullptr;
    cudaMallocManaged(&result, n * sizeof(float));
    add_kernel<<<blocks, kThreads>>>(p, p, result, n);
    for (int i = 0; i < n; ++i) result[i] += 0.0f;
    cudaMemcpy(q, result, n * sizeof(float), cudaMemcpyDefault);
    cudaFree(result);
    return y;
  }
  if (what == "default_kind" || what == "into_blob") {
    add_kernel<<<blocks, kThreads>>>(p, p, q, n);
    std::vector<float> host(n);
    if (what == "into_blob") {
      torch::from_blob(host.data(), {n}, torch::kFloat32).copy_(y);
    } else {
      cudaMemcpy(host.data(), q, n * sizeof(float), cudaMemcpyDefault);
    }
    return torch::from_blob(host.data(), {n}, torch::kFloat32).to(torch::kCUDA);
  }
  if (what == "symbols") {
    const float two = 2.0f;
    cudaMemcpyToSymbol(factor, &two, sizeof two);
    shift = 0.0f;
    symbols_kernel<<<blocks, kThreads>>>(p, q, n);
    float seen = 0.0f;
    cudaMemcpyFromSymbol(&seen, total, sizeof seen);
    return seen == 2.0f ? y : x;
  }
  if (what == "pointers") {
    std::vector<const float*> rows = {p, p};
    const float** on_device = nullptr;
    cudaMalloc(&on_device, 2 * sizeof(float*));
    cudaMemcpy(on_device, rows.data(), 2 * sizeof(float*), cudaMemcpyHostToDevice);
    rows_kernel<<<blocks, kThreads>>>(on_device, q, n);
    cudaFree(on_device);
    return y;
  }
  if (what == "unused_pointer") {
    std::string name = "a name that is too long for the string itself to hold";
    named_kernel<<<blocks, kThreads>>>(p, name.c_str(), q, n);
    return y;
  }
  return x;
}

// Sizes in host memory, passed by a caller that never moved them.
int64_t host_sizes(torch::Tensor sizes) {
  int64_t product = 1;
  for (int i = 0; i < sizes.numel(); ++i) product *= sizes.data_ptr<int64_t>()[i];
  return product;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("host_wrong", &host_wrong);
  m.def("kernel_wrong", &kernel_wrong);
  m.def("right", &right);
  m.def("host_sizes", &host_sizes);
}
