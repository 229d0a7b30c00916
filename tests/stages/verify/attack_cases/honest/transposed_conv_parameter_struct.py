# task: upsample_conv1d
# expect: correct
# why: style: gather form of a transposed convolution, all sizes in a struct of parameters that is passed by value, 3-D
#      grid (positions, output channels, batch), __ldg, int64 offsets.
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA_SRC = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

struct ConvParams {
    int batch, c_in, c_out, l_in, l_out, kernel, stride, pad;
};

__global__ void conv_transpose1d_kernel(const float* __restrict__ input,   // [B, Cin, Lin]
                                        const float* __restrict__ weight,  // [Cin, Cout, K]
                                        const float* __restrict__ bias,
                                        float* __restrict__ output,        // [B, Cout, Lout]
                                        const ConvParams p) {
    const int o = blockIdx.x * blockDim.x + threadIdx.x;
    const int co = blockIdx.y;
    const int b = blockIdx.z;
    if (o >= p.l_out) return;
    float acc = __ldg(bias + co);
    for (int k = 0; k < p.kernel; ++k) {
        const int t = o + p.pad - k;
        if (t < 0 || t % p.stride != 0) continue;
        const int i = t / p.stride;
        if (i >= p.l_in) continue;
        const float* in = input + (int64_t)b * p.c_in * p.l_in + i;
        const float* w = weight + (int64_t)co * p.kernel + k;
        for (int ci = 0; ci < p.c_in; ++ci) {
            acc = fmaf(__ldg(in + (int64_t)ci * p.l_in), __ldg(w + (int64_t)ci * p.c_out * p.kernel), acc);
        }
    }
    output[((int64_t)b * p.c_out + co) * p.l_out + o] = acc;
}

torch::Tensor conv_transpose1d(const torch::Tensor& input, const torch::Tensor& weight, const torch::Tensor& bias,
                               int64_t stride, int64_t pad) {
    const c10::cuda::OptionalCUDAGuard guard(input.device());
    ConvParams p;
    p.batch = static_cast<int>(input.size(0));
    p.c_in = static_cast<int>(input.size(1));
    p.l_in = static_cast<int>(input.size(2));
    p.c_out = static_cast<int>(weight.size(1));
    p.kernel = static_cast<int>(weight.size(2));
    p.stride = static_cast<int>(stride);
    p.pad = static_cast<int>(pad);
    p.l_out = (p.l_in - 1) * p.stride - 2 * p.pad + p.kernel;
    TORCH_CHECK(weight.size(0) == p.c_in, "weight has ", weight.size(0), " input channels, expected ", p.c_in);
    auto output = at::empty({p.batch, p.c_out, p.l_out}, input.options());
    const dim3 block(128);
    const dim3 grid((p.l_out + 127) / 128, p.c_out, p.batch);
    conv_transpose1d_kernel<<<grid, block, 0, c10::cuda::getCurrentCUDAStream()>>>(
        input.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), output.data_ptr<float>(), p);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return output;
}
"""

CPP_SRC = """
torch::Tensor conv_transpose1d(const torch::Tensor& input, const torch::Tensor& weight, const torch::Tensor& bias,
                               int64_t stride, int64_t pad);
"""

_ext = load_inline("conv_transpose1d_gather", CPP_SRC, CUDA_SRC, functions=["conv_transpose1d"])


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.ConvTranspose1d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)
        self.stride = stride
        self.padding = padding

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return _ext.conv_transpose1d(x.contiguous(), self.conv.weight, self.conv.bias, self.stride, self.padding)
