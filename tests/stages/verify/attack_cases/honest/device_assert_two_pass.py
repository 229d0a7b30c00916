# task: cross_entropy
# expect: correct
# why: one warp per row writes its loss, a single block adds the losses in a fixed tree; ignored targets (-100) do not count
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source_cu = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>
#include <assert.h>

#define FULL 0xffffffffu
#define IGNORED (-100)

__device__ float warp_max(float v)
{
    for (int o = 16; o > 0; o >>= 1)
        v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(FULL, v, o);
    return v;
}

/* losses[r] = {loss of row r, 1 if it counts} */
__global__ void row_losses(const float *logits, const long long *targets, float2 *losses, int rows, int classes)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = logits + (size_t)row * classes;
    long long target = targets[row];
    if (target == IGNORED) {
        if (lane == 0)
            losses[row] = make_float2(0.0f, 0.0f);
        return;
    }
    assert(target >= 0 && target < classes);

    float biggest = -INFINITY;
    for (int c = lane; c < classes; c += 32)
        biggest = fmaxf(biggest, x[c]);
    biggest = warp_max(biggest);
    float sum = 0.0f;
    for (int c = lane; c < classes; c += 32)
        sum += expf(x[c] - biggest);
    sum = warp_sum(sum);
    if (lane == 0)
        losses[row] = make_float2(logf(sum) - (x[target] - biggest), 1.0f);
}

__global__ void mean_loss(const float2 *losses, float *result, int rows)
{
    __shared__ float sums[256], counts[256];
    int t = threadIdx.x;
    float sum = 0.0f, count = 0.0f;
    for (int r = t; r < rows; r += 256) {
        float2 v = losses[r];
        sum += v.x;
        count += v.y;
    }
    sums[t] = sum;
    counts[t] = count;
    __syncthreads();
    for (int n = 128; n > 0; n >>= 1) {
        if (t < n) {
            sums[t] += sums[t + n];
            counts[t] += counts[t + n];
        }
        __syncthreads();
    }
    if (t == 0)
        *result = sums[0] / counts[0];
}

torch::Tensor cross_entropy_mean(torch::Tensor logits, torch::Tensor targets)
{
    TORCH_CHECK(logits.dim() == 2 && targets.dim() == 1 && logits.size(0) == targets.size(0));
    TORCH_CHECK(targets.dtype() == torch::kInt64, "targets must be int64");
    int rows = logits.size(0), classes = logits.size(1);
    auto losses = torch::empty({rows, 2}, logits.options());
    auto result = torch::empty({1}, logits.options());
    auto stream = c10::cuda::getCurrentCUDAStream().stream();
    row_losses<<<(rows + 3) / 4, 128, 0, stream>>>(
        logits.data_ptr<float>(), reinterpret_cast<const long long *>(targets.data_ptr<int64_t>()),
        reinterpret_cast<float2 *>(losses.data_ptr<float>()), rows, classes);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    mean_loss<<<1, 256, 0, stream>>>(reinterpret_cast<const float2 *>(losses.data_ptr<float>()),
                                     result.data_ptr<float>(), rows);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return result.squeeze(0);
}
"""
source_cpp = "torch::Tensor cross_entropy_mean(torch::Tensor logits, torch::Tensor targets);"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.native = load_inline(name="ce_mean", cpp_sources=[source_cpp], cuda_sources=[source_cu],
                                  functions=["cross_entropy_mean"])

    @torch.no_grad()
    def forward(self, logits, targets):
        return self.native.cross_entropy_mean(logits, targets)
