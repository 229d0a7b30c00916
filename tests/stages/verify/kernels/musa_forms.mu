// MUSA's names for the same things.
#include <torch/extension.h>
#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musa_runtime.h>
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAStream.h"

#define CHECK_MUSA(x) TORCH_CHECK(x.device().type() == at::DeviceType::PrivateUse1, #x " is not on MUSA")

__global__ void sum_kernel(const float* x, float* y, int n) {
  __shared__ float partial[128];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x * n + i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  }
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / warpSize; ++w) sum += partial[w];
    y[blockIdx.x] = sum;
  }
}
torch::Tensor row_sum(torch::Tensor x) {
  CHECK_MUSA(x);
  const c10::musa::MUSAGuard guard(x.device());
  musaStream_t stream = c10::musa::getCurrentMUSAStream();
  auto y = torch::empty({x.size(0)}, x.options());
  sum_kernel<<<x.size(0), 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  musaError_t error = musaGetLastError();
  TORCH_CHECK(error == musaSuccess, musaGetErrorString(error));
  return y;
}

__global__ void bfloat16_kernel(const __mt_bfloat16* x, __mt_bfloat16* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2bfloat16(__bfloat162float(x[i]) * 1.5f);
}
torch::Tensor scale(torch::Tensor x) {
  auto y = torch::empty_like(x, torch::device(at::kPrivateUse1));
  const int n = x.numel();
  __mt_bfloat16* copy;
  musaMalloc(&copy, n * sizeof(__mt_bfloat16));
  musaMemcpy(copy, x.data_ptr(), n * sizeof(__mt_bfloat16), musaMemcpyDeviceToDevice);
  bfloat16_kernel<<<(n + 63) / 64, 64>>>(copy, (__mt_bfloat16*)y.data_ptr(), n);
  musaDeviceSynchronize();
  musaFree(copy);
  return y;
}

// What a warp of this architecture is.
__global__ void width_kernel(int* y) {
  y[threadIdx.x] = __shfl_sync(0xffffffff, (int)threadIdx.x, warpSize - 1);
}
torch::Tensor width() {
  auto y = torch::zeros({256}, torch::kInt);
  width_kernel<<<1, 256>>>(y.data_ptr<int>());
  return y;
}
int architecture() { return __MUSA_ARCH__; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("row_sum_musa", &row_sum);
  m.def("scale", &scale);
  m.def("width", &width);
  m.def("architecture", &architecture);
}
