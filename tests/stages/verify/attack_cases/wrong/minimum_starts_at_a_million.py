# task: nearest_depth
# expect: refused
# why: The minimum starts at 1e6 instead of FLT_MAX: a ray whose depths are all larger (depths in millimetres,
#      say) returns 1e6.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void nearest(const float* __restrict__ depth, float* __restrict__ out, int rays, int samples) {
    const int ray = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (ray >= rays) return;
    float best = 1e6f;
    for (int s = lane; s < samples; s += 32) best = fminf(best, depth[(size_t)ray * samples + s]);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) best = fminf(best, __shfl_xor_sync(0xffffffffu, best, o));
    if (lane == 0) out[ray] = best;
}

torch::Tensor nearest_depth(torch::Tensor depth) {
    const int rays = depth.size(0), samples = depth.size(1);
    auto out = torch::empty({rays}, depth.options());
    nearest<<<(rays + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(depth.data_ptr<float>(),
                                                                         out.data_ptr<float>(), rays, samples);
    return out;
}
"""

cpp_source = """
torch::Tensor nearest_depth(torch::Tensor depth);
"""

ext = load_inline(
    name="minimum_starts_at_a_million_06",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["nearest_depth"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, depth):
        return ext.nearest_depth(depth.contiguous())
