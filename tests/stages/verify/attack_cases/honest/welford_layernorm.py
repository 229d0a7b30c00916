# task: layer_norm_768
# expect: correct
# why: Welford's update per thread, merged pairwise over lanes and warps, so the variance is stable
"""Layer normalisation over the last dimension in one pass over the data.

The classic formula E[x^2] - E[x]^2 cancels catastrophically when |mean| >> std.  This implementation
uses Welford's streaming update in every thread and Chan's formula to merge the moments of two threads:

    n     = n_a + n_b
    delta = mean_b - mean_a
    mean  = mean_a + delta * n_b / n
    M2    = M2_a + M2_b + delta^2 * n_a * n_b / n

References
----------
* B. P. Welford (1962), "Note on a method for calculating corrected sums of squares and products"
* T. F. Chan, G. H. Golub, R. J. LeVeque (1979), "Updating formulae and a pairwise algorithm"
"""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP_SOURCE = r"""
torch::Tensor layer_norm_forward(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps);
"""

CUDA_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

struct Moments {
  float n = 0.f;
  float mean = 0.f;
  float m2 = 0.f;

  __device__ void push(float x) {
    n += 1.f;
    const float delta = x - mean;
    mean += delta / n;
    m2 += delta * (x - mean);
  }

  __device__ Moments& operator+=(const Moments& other) {
    const float total = n + other.n;
    if (total == 0.f) return *this;
    const float delta = other.mean - mean;
    mean += delta * (other.n / total);
    m2 += other.m2 + delta * delta * (n * other.n / total);
    n = total;
    return *this;
  }

  __device__ Moments shifted_down(int offset) const {
    Moments other;
    other.n = __shfl_down_sync(0xffffffff, n, offset);
    other.mean = __shfl_down_sync(0xffffffff, mean, offset);
    other.m2 = __shfl_down_sync(0xffffffff, m2, offset);
    return other;
  }
};

__device__ Moments warp_merge(Moments m) {
  for (int offset = 16; offset > 0; offset /= 2) {
    m += m.shifted_down(offset);
  }
  return m;
}

__global__ void layer_norm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                                  const float* __restrict__ beta, float* __restrict__ y,
                                  int hidden, float eps) {
  __shared__ float warp_n[8], warp_mean[8], warp_m2[8];
  __shared__ float row_mean, row_rstd;
  const float* in = x + (size_t)blockIdx.x * hidden;
  float* out = y + (size_t)blockIdx.x * hidden;

  Moments mine;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) mine.push(in[i]);
  mine = warp_merge(mine);

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) {
    warp_n[warp] = mine.n;
    warp_mean[warp] = mine.mean;
    warp_m2[warp] = mine.m2;
  }
  __syncthreads();
  if (warp == 0) {
    Moments all;
    if (lane < blockDim.x / 32) {
      all.n = warp_n[lane];
      all.mean = warp_mean[lane];
      all.m2 = warp_m2[lane];
    }
    all = warp_merge(all);
    if (lane == 0) {
      row_mean = all.mean;
      row_rstd = rsqrtf(all.m2 / all.n + eps);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < hidden; i += blockDim.x)
    out[i] = (in[i] - row_mean) * row_rstd * gamma[i] + beta[i];
}

torch::Tensor layer_norm_forward(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps) {
  TORCH_CHECK(x.device().is_cuda(), "x must live on the GPU");
  TORCH_CHECK(gamma.numel() == x.size(-1) && beta.numel() == x.size(-1));
  auto y = torch::empty(x.sizes(), x.options());
  const auto hidden = x.size(-1);
  const auto rows = x.numel() / hidden;
  layer_norm_kernel<<<rows, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(),
      (int)hidden, (float)eps);
  return y;
}
"""


class ModelNew(nn.Module):
    """Drop-in replacement for ``Model``.

    Parameters
    ----------
    hidden : int
        Size of the normalised (last) dimension.

    Notes
    -----
    ``nn.LayerNorm`` is instantiated so that the state dict has the same keys and initial values as the
    original; its ``forward`` is never called.
    """

    def __init__(self, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.kernels = load_inline(
            name="welford_layer_norm",
            cpp_sources=CPP_SOURCE,
            cuda_sources=CUDA_SOURCE,
            functions=["layer_norm_forward"],
        )

    def forward(self, x):
        """Normalise ``x`` over its last dimension; returns a new tensor of the same shape."""
        return self.kernels.layer_norm_forward(x, self.norm.weight, self.norm.bias, self.norm.eps)
