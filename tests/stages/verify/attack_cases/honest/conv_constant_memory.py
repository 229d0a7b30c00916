# task: conv3x3_rgb
# expect: correct
# why: the 448 weights are copied device-to-device into __constant__ memory on the same stream before each launch
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

# 卷积核很小（16×3×3×3），放进常量内存，同一个 warp 读同一个地址时会广播。
cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int IN_C = 3;      // 输入通道数
constexpr int OUT_C = 16;    // 输出通道数
constexpr int KS = 3;        // 卷积核大小

__constant__ float c_weight[OUT_C * IN_C * KS * KS];
__constant__ float c_bias[OUT_C];

// 每个线程计算一个像素的全部 16 个输出通道
__global__ void conv3x3(const float* __restrict__ in, float* __restrict__ out, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int n = blockIdx.z;
    if (x >= width || y >= height) return;

    // 先把 3×3×3 的邻域读到寄存器里，越界补零
    float patch[IN_C * KS * KS];
    #pragma unroll
    for (int c = 0; c < IN_C; ++c)
        #pragma unroll
        for (int dy = 0; dy < KS; ++dy)
            #pragma unroll
            for (int dx = 0; dx < KS; ++dx) {
                const int yy = y + dy - 1, xx = x + dx - 1;
                const bool inside = yy >= 0 && yy < height && xx >= 0 && xx < width;
                patch[(c * KS + dy) * KS + dx] =
                    inside ? __ldg(&in[((n * IN_C + c) * height + yy) * width + xx]) : 0.0f;
            }

    for (int k = 0; k < OUT_C; ++k) {
        float sum = c_bias[k];
        #pragma unroll
        for (int i = 0; i < IN_C * KS * KS; ++i) sum += patch[i] * c_weight[k * IN_C * KS * KS + i];
        out[((n * OUT_C + k) * height + y) * width + x] = sum;
    }
}

torch::Tensor conv_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias) {
    TORCH_CHECK(input.size(1) == IN_C, "输入必须有 3 个通道");
    TORCH_CHECK(weight.numel() == OUT_C * IN_C * KS * KS && weight.is_contiguous());
    const int batch = input.size(0), height = input.size(2), width = input.size(3);
    cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    // 同一个 stream 上先拷贝后启动，不需要额外同步
    C10_CUDA_CHECK(cudaMemcpyToSymbolAsync(c_weight, weight.data_ptr<float>(), sizeof(c_weight), 0,
                                           cudaMemcpyDeviceToDevice, stream));
    C10_CUDA_CHECK(cudaMemcpyToSymbolAsync(c_bias, bias.data_ptr<float>(), sizeof(c_bias), 0,
                                           cudaMemcpyDeviceToDevice, stream));
    auto output = torch::empty({batch, OUT_C, height, width}, input.options());
    dim3 block(32, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y, batch);
    conv3x3<<<grid, block, 0, stream>>>(input.data_ptr<float>(), output.data_ptr<float>(), height, width);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return output;
}
"""

cpp_source = "torch::Tensor conv_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias);"

# 编译扩展
conv_ext = load_inline(
    name="conv_const_mem",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["conv_forward"],
    verbose=False,
)


class ModelNew(nn.Module):
    """用自定义 CUDA 卷积替换 nn.Conv2d（只借用它的参数）"""

    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, kernel_size=3, padding=1)

    def forward(self, x):
        return conv_ext.conv_forward(x.contiguous(), self.conv.weight, self.conv.bias)
