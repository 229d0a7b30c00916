# task: first_true_index
# expect: refused
# why: The per-row minimum column lives in a torch::empty workspace that no one initialises before atomicMin: on a
#      GPU it holds old data, so rows get a stale smaller index (e.g. 0), or the workspace's garbage instead of -1
#      for rows without a true element (initcheck reports the read).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void first_true_kernel(const bool* __restrict__ mask, unsigned int* first, int rows, int cols) {
    const int row = blockIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const bool hit = c < cols && mask[(size_t)row * cols + c];
    const unsigned int lanes = __ballot_sync(0xffffffffu, hit);
    if ((threadIdx.x & 31) == 0 && lanes != 0) {
        atomicMin(&first[row], (unsigned int)(c + __ffs(lanes) - 1));
    }
}

__global__ void finish_kernel(const unsigned int* __restrict__ first, int64_t* __restrict__ out, int rows, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) out[row] = first[row] < (unsigned int)cols ? (int64_t)first[row] : (int64_t)-1;
}

torch::Tensor first_true(torch::Tensor mask) {
    const int rows = mask.size(0), cols = mask.size(1);
    auto first = torch::empty({rows}, mask.options().dtype(torch::kInt32));
    auto out = torch::empty({rows}, mask.options().dtype(torch::kInt64));
    auto stream = at::cuda::getCurrentCUDAStream();
    auto* p = reinterpret_cast<unsigned int*>(first.data_ptr<int>());
    dim3 grid((cols + 255) / 256, rows);
    first_true_kernel<<<grid, 256, 0, stream>>>(mask.data_ptr<bool>(), p, rows, cols);
    finish_kernel<<<(rows + 255) / 256, 256, 0, stream>>>(p, out.data_ptr<int64_t>(), rows, cols);
    return out;
}
"""

cpp_source = """
torch::Tensor first_true(torch::Tensor mask);
"""

ops = load_inline(
    name="first_true_uninit",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["first_true"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, mask):
        return ops.first_true(mask)
