// Kernels with more complex indices, as in real answers: embedding and its gradient, bilinear
// interpolation, a stencil, a recurrence along a column.
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int64_t* index, const float* table, float* y, int width) {
  const int64_t row = index[blockIdx.x];
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    y[(int64_t)blockIdx.x * width + i] = __ldg(&table[row * width + i]);
  }
}
__global__ void scatter_add_kernel(const int64_t* index, const float* x, float* y, int width,
                                   int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) atomicAdd(&y[index[i / width] * width + i % width], x[i]);
}
std::vector<torch::Tensor> embedding(torch::Tensor index, torch::Tensor table) {
  auto y = torch::empty({index.numel(), table.size(1)}, table.options());
  embedding_kernel<<<index.numel(), 32>>>(index.data_ptr<int64_t>(), table.data_ptr<float>(),
                                          y.data_ptr<float>(), table.size(1));
  auto back = torch::zeros_like(table);
  scatter_add_kernel<<<(y.numel() + 63) / 64, 64>>>(index.data_ptr<int64_t>(), y.data_ptr<float>(),
                                                    back.data_ptr<float>(), table.size(1),
                                                    y.numel());
  return {y, back};
}

__global__ void bilinear_kernel(const float* x, float* y, int ih, int iw, int oh, int ow) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= ow || r >= oh) return;
  const float fy = fmaxf((r + 0.5f) * ih / oh - 0.5f, 0.0f);
  const float fx = fmaxf((c + 0.5f) * iw / ow - 0.5f, 0.0f);
  const int y0 = (int)fy, x0 = (int)fx, y1 = min(y0 + 1, ih - 1), x1 = min(x0 + 1, iw - 1);
  const float wy = fy - y0, wx = fx - x0;
  const float* plane = x + blockIdx.z * ih * iw;
  y[(blockIdx.z * oh + r) * ow + c] =
      (1 - wy) * ((1 - wx) * plane[y0 * iw + x0] + wx * plane[y0 * iw + x1]) +
      wy * ((1 - wx) * plane[y1 * iw + x0] + wx * plane[y1 * iw + x1]);
}
torch::Tensor bilinear(torch::Tensor x, int64_t oh, int64_t ow) {
  auto y = torch::empty({x.size(0), x.size(1), oh, ow}, x.options());
  const dim3 block(8, 8);
  const dim3 grid((ow + block.x - 1) / block.x, (oh + block.y - 1) / block.y,
                  x.size(0) * x.size(1));
  bilinear_kernel<<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(2), x.size(3),
                                   oh, ow);
  return y;
}

// One step of a five-point stencil, in a tile with a halo.
#define RADIUS 1
__global__ void stencil_kernel(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[8 + 2 * RADIUS][16 + 2 * RADIUS];
  const int c0 = blockIdx.x * 16 - RADIUS, r0 = blockIdx.y * 8 - RADIUS;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < 10 * 18; i += blockDim.x * blockDim.y) {
    const int r = r0 + i / 18, c = c0 + i % 18;
    tile[i / 18][i % 18] = r >= 0 && r < rows && c >= 0 && c < columns ? x[r * columns + c] : 0.0f;
  }
  __syncthreads();
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r >= rows || c >= columns) return;
  const int ty = threadIdx.y + RADIUS, tx = threadIdx.x + RADIUS;
  y[r * columns + c] = 4 * tile[ty][tx] - tile[ty - 1][tx] - tile[ty + 1][tx] - tile[ty][tx - 1] -
                       tile[ty][tx + 1];
}
torch::Tensor stencil(torch::Tensor x) {
  auto y = torch::empty_like(x);
  stencil_kernel<<<dim3((x.size(1) + 15) / 16, (x.size(0) + 7) / 8), dim3(16, 8)>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1));
  return y;
}

// A recurrence along each column, row by row.
__global__ void recurrence_kernel(const float* x, const float* gate, float* y, int rows,
                                  int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float state = 0.0f;
  for (int r = 0; r < rows; ++r) {
    const float g = 1.0f / (1.0f + expf(-gate[r * columns + c]));
    state = g * state + (1.0f - g) * x[r * columns + c];
    y[r * columns + c] = state;
  }
}
torch::Tensor recurrence(torch::Tensor x, torch::Tensor gate) {
  auto y = torch::empty_like(x);
  recurrence_kernel<<<(x.size(1) + 31) / 32, 32>>>(x.data_ptr<float>(), gate.data_ptr<float>(),
                                                   y.data_ptr<float>(), x.size(0), x.size(1));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("embedding", &embedding);
  m.def("bilinear", &bilinear);
  m.def("stencil", &stencil);
  m.def("recurrence", &recurrence);
}
