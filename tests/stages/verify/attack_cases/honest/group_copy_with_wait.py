# task: ../../tasks/layer_norm
# expect: correct
# why: a row is brought to shared memory by cooperative_groups::memcpy_async() and waited for; sums by cooperative_groups::reduce() and two passes.
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

template <typename Group>
__device__ float sum_of_block(const cg::thread_block& block, const Group& warp, float v, float* parts) {
    v = cg::reduce(warp, v, cg::plus<float>());
    block.sync();  // Nobody reads the parts of an earlier sum any more.
    if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = v;
    block.sync();
    float s = 0.0f;
    for (unsigned w = 0; w < warp.meta_group_size(); ++w) s += parts[w];
    return s;
}

__global__ void layer_norm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                                  const float* __restrict__ beta, float* __restrict__ y, int n, float eps) {
    extern __shared__ __align__(16) float row[];
    __shared__ float parts[32];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const float* from = x + static_cast<size_t>(blockIdx.x) * n;
    float* to = y + static_cast<size_t>(blockIdx.x) * n;
    cg::memcpy_async(block, row, from, sizeof(float) * n);
    cg::wait(block);
    float s = 0.0f;
    for (int i = block.thread_rank(); i < n; i += block.size()) s += row[i];
    const float mean = sum_of_block(block, warp, s, parts) / n;
    float q = 0.0f;
    for (int i = block.thread_rank(); i < n; i += block.size()) {
        const float d = row[i] - mean;
        q = fmaf(d, d, q);
    }
    const float scale = rsqrtf(sum_of_block(block, warp, q, parts) / n + eps);
    for (int i = block.thread_rank(); i < n; i += block.size()) {
        to[i] = fmaf((row[i] - mean) * scale, gamma[i], beta[i]);
    }
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps) {
    x = x.contiguous();
    const int n = gamma.numel(), rows = x.numel() / n;
    TORCH_CHECK(n * sizeof(float) <= 48 * 1024, "a row of ", n, " elements does not fit shared memory");
    auto y = torch::empty_like(x);
    if (rows == 0) return y;
    layer_norm_kernel<<<rows, 128, n * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(), n,
        static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""

ext = load_inline(name="w8_group_copy_with_wait", cpp_sources='torch::Tensor layer_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps);',
                  cuda_sources=cuda_src, functions=['layer_norm'])


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return ext.layer_norm(x, self.ln.weight.detach().contiguous(), self.ln.bias.detach().contiguous(), self.ln.eps)
