# task: ../../tasks/layer_norm
# expect: refused
# why: cooperative_groups::memcpy_async() is followed by block.sync() instead of cooperative_groups::wait(): the copied row need not be in shared memory yet.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void layer_norm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                                  const float* __restrict__ beta, float* __restrict__ y, int n, float eps) {
    extern __shared__ __align__(16) float row[];
    __shared__ float sums[4], squares[4];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    cg::memcpy_async(block, row, x + (size_t)blockIdx.x * n, sizeof(float) * n);
    block.sync();
    float s = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += row[i];
    s = cg::reduce(warp, s, cg::plus<float>());
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = s;
    block.sync();
    const float mean = (sums[0] + sums[1] + sums[2] + sums[3]) / n;
    float q = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) q += (row[i] - mean) * (row[i] - mean);
    q = cg::reduce(warp, q, cg::plus<float>());
    if (warp.thread_rank() == 0) squares[warp.meta_group_rank()] = q;
    block.sync();
    const float scale = rsqrtf((squares[0] + squares[1] + squares[2] + squares[3]) / n + eps);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        y[(size_t)blockIdx.x * n + i] = (row[i] - mean) * scale * gamma[i] + beta[i];
    }
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps) {
    x = x.contiguous();
    const int n = gamma.numel(), rows = x.numel() / n;
    auto y = torch::empty_like(x);
    layer_norm_kernel<<<rows, 128, n * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(), n, eps);
    return y;
}
"""

ext = load_inline(name="w8_group_copy_without_wait", cpp_sources='torch::Tensor layer_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps);',
                  cuda_sources=cuda_src, functions=['layer_norm'])


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return ext.layer_norm(x, self.ln.weight.detach(), self.ln.bias.detach(), self.ln.eps)
