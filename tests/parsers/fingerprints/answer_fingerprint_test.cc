#include "parsers/fingerprints/answer_fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelmill {
namespace {

// An answer with one kernel.
std::string Answer(const std::string& device, const std::string& launch = "k<<<n, 256>>>(x, y, n);",
                   const std::string& quotes = "\"\"\"") {
  return "from torch.utils.cpp_extension import load_inline\nsource = r" + quotes +
         "\n#include <torch/extension.h>\n" + device +
         "\ntorch::Tensor run(torch::Tensor x) {\n  auto y = torch::empty_like(x);\n  int n = "
         "x.numel();\n  " +
         launch + "\n  return y;\n}\n" + quotes +
         "\nops = load_inline(name='a', cuda_sources=source, functions=['run'])\n"
         "class ModelNew(nn.Module):\n    def forward(self, x):\n        return ops.run(x)\n";
}

std::string Kernel(const std::string& body) {
  return Answer("__global__ void k(const float* x, float* y, int n) {\n" + body + "\n}\n");
}

std::string SkeletonOf(const std::string& answer) {
  const AnswerFingerprint fingerprint = ReadAnswerFingerprint(answer);
  return fingerprint.kernels.size() == 1 ? fingerprint.kernels[0].skeleton
                                         : std::to_string(fingerprint.kernels.size()) + " kernels";
}

constexpr char kIndex[] = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST(AnswerFingerprint, NamesWhatAKernelDoes) {
  const std::string index = kIndex;
  EXPECT_EQ(SkeletonOf(Kernel(index + "if (i < n) y[i] = 2.0f * x[i];")), "read write");
  EXPECT_EQ(SkeletonOf(Kernel("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += "
                              "gridDim.x * blockDim.x) y[i] = x[i];")),
            "grid(read write)");
  EXPECT_EQ(SkeletonOf(Kernel(index + "reinterpret_cast<float4*>(y)[i] = "
                                      "reinterpret_cast<const float4*>(x)[i];")),
            "read4 write4");
  EXPECT_EQ(SkeletonOf(Kernel(index + "float s = 0; for (int c = 0; c < n; ++c) s += x[i * n + c];"
                                      "y[i] = s;")),
            "for(read/s) write");
  EXPECT_EQ(SkeletonOf(Kernel(index + "float s = 0; for (int c = 0; c < n; ++c) s += x[c * n + i];"
                                      "y[i] = s;")),
            "for(read) write");
  EXPECT_EQ(SkeletonOf(Kernel(R"(
              __shared__ float part[256];
              float s = 0;
              for (int c = threadIdx.x; c < n; c += blockDim.x) s += x[blockIdx.x * n + c];
              part[threadIdx.x] = s;
              __syncthreads();
              for (int half = blockDim.x / 2; half > 0; half >>= 1) {
                if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
                __syncthreads();
              }
              if (threadIdx.x == 0) y[blockIdx.x] = part[0];)")),
            "block(read) swrite bar halve(sread swrite bar) one(sread write)");
  EXPECT_EQ(SkeletonOf(Kernel(R"(
              int lane = threadIdx.x % 32;
              float s = 0;
              for (int c = lane; c < n; c += 32) s += x[blockIdx.x * n + c];
              for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
              if (lane == 0) atomicAdd(&y[blockIdx.x], s);)")),
            "warp(read) halve(shfl) one(atomic)");
}

TEST(AnswerFingerprint, HasTheFeaturesOfAKernel) {
  const AnswerFingerprint fingerprint = ReadAnswerFingerprint(Kernel(R"(
      __shared__ float a[16][16], b[16][17];
      float sums[4] = {};
      int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
      for (int t = 0; t < n; t += 16) {
        a[threadIdx.y][threadIdx.x] = x[row * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = x[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
          for (int j = 0; j < 4; ++j) sums[j] += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
      }
      y[row * n + col] = sums[0];)"));
  ASSERT_EQ(fingerprint.kernels.size(), 1u);
  const KernelStrategy& kernel = fingerprint.kernels[0];
  EXPECT_EQ(kernel.skeleton, "for(read swrite bar for(sread) bar) write");
  EXPECT_EQ(kernel.block_dimensions, 2);
  EXPECT_EQ(kernel.grid_dimensions, 2);
  EXPECT_TRUE(kernel.shared_memory && kernel.register_tile);
  EXPECT_FALSE(kernel.warp_operations || kernel.atomics || kernel.grid_stride);
  EXPECT_EQ(kernel.global_passes, 1);
  EXPECT_EQ(fingerprint.Text(),
            "1 kernel: 2-dimensional blocks, 2-dimensional grid, shared memory, results in registers, "
            "1 reading loop");
}

TEST(AnswerFingerprint, TellsAGridByRowFromAFlatIndex) {
  const Digest flat = ReadAnswerFingerprint(Kernel(R"(
                          int i = blockIdx.x * blockDim.x + threadIdx.x;
                          if (i < n) y[i] = x[i];)"))
                          .Cluster();
  const AnswerFingerprint rows = ReadAnswerFingerprint(Kernel(R"(
                          int row = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
                          if (i < n) y[row * n + i] = x[row * n + i];)"));
  EXPECT_NE(rows.Cluster(), flat);
  EXPECT_EQ(rows.kernels[0].grid_dimensions, 2);
  // Which axes of the grid does not matter.
  for (const char* same : {"int row = blockIdx.x, i = blockIdx.y * blockDim.x + threadIdx.x;",
                           "int row = blockIdx.z, i = blockIdx.x * blockDim.x + threadIdx.x;"}) {
    EXPECT_EQ(ReadAnswerFingerprint(
                  Kernel(std::string(same) + "if (i < n) y[row * n + i] = x[row * n + i];"))
                  .Cluster(),
              rows.Cluster())
        << same;
  }
}

// Pairs that say the same in other words.
TEST(AnswerFingerprint, DoesNotDependOnWords) {
  const std::string loop = "float s = 0; for (int c = 0; c < n; ++c) s += x[c * n + i]; y[i] = s;";
  const Digest cluster = ReadAnswerFingerprint(Kernel(kIndex + loop)).Cluster();
  for (const std::string& same : {
           "float s = 0; int c = 0; while (c < n) { s = s + x[c * n + i]; c += 1; } y[i] = s;",
           "float s = 0; // a sum\n for (int c = 0; c < n; c++) { s += x[n * c + i]; }\n"
           "*(y + i) = s;",
           "const float* p = x + i; float s{0}; for (int c = 0; c != n; c = c + 1) { s += *p; p += "
           "n; } y[i] = s;",
           "if (i >= n) return; float s = 0; for (int c = 0; c < n; ++c) { s += __ldg(&x[c * n + "
           "i]); } y[i] = s;"}) {
    EXPECT_EQ(ReadAnswerFingerprint(Kernel(kIndex + same)).Cluster(), cluster) << same;
  }
  const std::string renamed = Answer(
      "#define EACH 256\n"
      "__device__ float column(const float* a, int at, int size) {\n"
      "  float total = 0;\n  for (int j = 0; j < size; ++j) total += a[j * size + at];\n"
      "  return total;\n}\n"
      "__global__ void sums(const float* __restrict__ in, float* __restrict__ out, int size) {\n"
      "  const int at = blockIdx.x * EACH + threadIdx.x;\n"
      "  if (at < size) { out[at] = column(in, at, size); }\n}\n",
      "sums<<<(n + EACH - 1) / EACH, EACH>>>(x, y, n);");
  EXPECT_EQ(ReadAnswerFingerprint(renamed).Cluster(), cluster);
  EXPECT_NE(ReadAnswerFingerprint(Kernel(kIndex + std::string("y[i] = x[i];"))).Cluster(), cluster);
}

TEST(AnswerFingerprint, UnrollsShortLoopsOfConstants) {
  const std::string index = kIndex;
  const std::string loop = "#pragma unroll\nfor (int j = 0; j < EACH; ++j) y[i * EACH + j] = x[i];";
  const std::string text = "y[i * 2] = x[i]; y[i * 2 + 1] = x[i];";
  const auto with = [&](const std::string& constant) {
    return Answer(constant + "__global__ void k(const float* x, float* y, int n) {\n" + index +
                  loop + "\n}\n");
  };
  const std::string unrolled = SkeletonOf(Kernel(index + text));
  EXPECT_EQ(SkeletonOf(with("#define EACH (1 + 1)\n")), unrolled);
  EXPECT_EQ(SkeletonOf(with("constexpr int EACH = 1 << 1;\n")), unrolled);
  EXPECT_EQ(SkeletonOf(with("static const int EACH = 2;\n")), unrolled);
  EXPECT_NE(SkeletonOf(with("constexpr int EACH = 100;\n")), unrolled);
}

TEST(AnswerFingerprint, ReadsOnlyKernelsThatAreLaunched) {
  const std::string other = "__global__ void unused(float* y) { __syncthreads(); y[0] = 1; }\n";
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int n) { y[0] = x[0]; }\n";
  EXPECT_EQ(SkeletonOf(Answer(other + kernel)), "read write");
  // A host function that Python never calls.
  EXPECT_EQ(SkeletonOf(Answer(other + kernel +
                              "void spare(torch::Tensor y) { unused<<<1, 1>>>(y); }\n")),
            "read write");
  EXPECT_EQ(SkeletonOf(Answer(other + kernel, "unused<<<1, 1>>>(y); k<<<1, 1>>>(x, y, n);")),
            "2 kernels");
  EXPECT_TRUE(ReadAnswerFingerprint(
                  Answer(kernel, "for (int i = 0; i < n; ++i) k<<<1, 1>>>(x, y, n);"))
                  .kernels[0]
                  .launched_in_loop);
}

TEST(AnswerFingerprint, DoesNotDependOnTheOrderOfDefinitions) {
  const std::string a = "__global__ void a(const float* x, float* y) { y[0] = x[0]; }\n";
  const std::string b = "__global__ void b(float* y) { __syncthreads(); y[0] = 1; }\n";
  const std::string launch = "a<<<1, 1>>>(x, y); b<<<1, 1>>>(y);";
  EXPECT_EQ(ReadAnswerFingerprint(Answer(a + b, launch)).Cluster(),
            ReadAnswerFingerprint(Answer(b + a, launch)).Cluster());
}

TEST(AnswerFingerprint, ReadsEveryKindOfString) {
  const std::string kernel = "__global__ void k(const float* x, float* y, int n) { y[0] = x[0]; }";
  EXPECT_EQ(SkeletonOf(Answer(kernel, "k<<<1, 1>>>(x, y, n);", "'''")), "read write");
  EXPECT_EQ(SkeletonOf("s = '__global__ void k(const float* x, float* y) {\\n'\\\n"
                       "    ' y[0] = x[0]; // \\'a\\' \\\\\\n }'\n"),
            "read write");
  EXPECT_EQ(SkeletonOf("s = f\"__global__ void k(float* x) {{ x[{n}] = x[{n + 1}]; }}\"\n"),
            "read write");
}

TEST(AnswerFingerprint, NamesLibraries) {
  const AnswerFingerprint fingerprint = ReadAnswerFingerprint(
      Answer("", "cublasSgemm(handle, n); cudnnConvolutionForward(h, n);"));
  EXPECT_THAT(fingerprint.libraries, testing::ElementsAre("cublas", "cudnn"));
  EXPECT_TRUE(fingerprint.kernels.empty());
}

TEST(AnswerFingerprint, EndsOnAnyText) {
  EXPECT_TRUE(ReadAnswerFingerprint("").kernels.empty());
  EXPECT_TRUE(ReadAnswerFingerprint("x = '''__global__ void'''").kernels.empty());
  std::string deep = "x[0] = ";
  for (int i = 0; i < 50000; ++i) deep += '(';
  EXPECT_EQ(ReadAnswerFingerprint(Kernel(deep)).kernels.size() <= 1, true);
  std::string blocks;
  for (int i = 0; i < 50000; ++i) blocks += "{ y[0] = x[0]; ";
  EXPECT_LE(ReadAnswerFingerprint(Kernel(blocks)).kernels.size(), 1u);
  // Each function calls the one before it ten times.
  std::string calls = "__device__ void f0(float* y) { y[0] = 1; __syncthreads(); }\n";
  for (int i = 1; i < 30; ++i) {
    calls += "__device__ void f" + std::to_string(i) + "(float* y) {";
    for (int j = 0; j < 10; ++j) calls += " f" + std::to_string(i - 1) + "(y);";
    calls += "}\n";
  }
  const std::string kernel = "__global__ void k(const float* x, float* y, int n) { f29(y); k(y); }";
  EXPECT_EQ(ReadAnswerFingerprint(Answer(calls + kernel)).kernels.size(), 1u);
}

}  // namespace
}  // namespace kernelmill
