# task: w_row_median
# expect: correct
# why: each thread takes a copy of its row from a heap that has room for all, and gives it back; another one may get
# the same address, and does not race with it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

__device__ void sift(float* a, int start, int n) {
    int root = start;
    while (2 * root + 1 < n) {
        int child = 2 * root + 1;
        if (child + 1 < n && a[child] < a[child + 1]) ++child;
        if (a[root] >= a[child]) return;
        const float t = a[root];
        a[root] = a[child];
        a[child] = t;
        root = child;
    }
}

// One thread per row: heap-sorts a private copy far enough to know the median.
__global__ void median_kernel(const float* __restrict__ x, float* __restrict__ out, int rows,
                              int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float* a = (float*)malloc(cols * sizeof(float));
    for (int i = 0; i < cols; ++i) a[i] = x[(size_t)row * cols + i];
    for (int i = cols / 2 - 1; i >= 0; --i) sift(a, i, cols);
    const int middle = (cols - 1) / 2;
    int n = cols;
    while (n - 1 > middle) {
        --n;
        const float top = a[0];
        a[0] = a[n];
        a[n] = top;
        sift(a, 0, n);
    }
    out[row] = a[0];
    free(a);
}

torch::Tensor row_median(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows}, x.options());
    static const cudaError_t raised = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 256u << 20);
    C10_CUDA_CHECK(raised);
    median_kernel<<<(rows + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_median_heap", cpp_sources="torch::Tensor row_median(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["row_median"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.row_median(x)
