// Tests the report of NVIDIA's compiler (NVRTC) on kernels: errors that clang misses, and facts of
// the machine code.
#include "stages/verify/build/device_report.h"
#include "tests/shared_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kernelmill {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kTorch[] = "#include <torch/extension.h>\n#include <cuda_runtime.h>\n";

class DeviceCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<ExtensionCache> cache = ExtensionCache::Open(ExtensionCache::DefaultFolder());
    ASSERT_TRUE(cache.ok()) << cache.status().message();
    Result<DeviceCompiler> compiler = DeviceCompiler::Open(*cache);
    ASSERT_TRUE(compiler.ok()) << compiler.status().message();
    compiler_ = *compiler;
  }
  DeviceReport Check(const ExtensionSources& sources) {
    Result<DeviceReport> check = CompileForDevice(sources, compiler_);
    EXPECT_TRUE(check.ok()) << check.status().message();
    return check.ok() ? *check : DeviceReport();
  }
  DeviceReport Check(const std::string& code) {
    ExtensionSources sources;
    sources.cuda_sources = {kTorch + code};
    return Check(sources);
  }

  DeviceCompiler compiler_;
};

KM_SHARED_SUITE(DeviceCheckTest);

TEST_F(DeviceCheckTest, SaysWhatAKernelTakes) {
  const DeviceReport check = Check(R"(
__global__ void tile(float* out, const float* in) {
  __shared__ float cells[32][33];
  cells[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = std::max(cells[threadIdx.x][threadIdx.y], -FLT_MAX);
}
torch::Tensor turned(torch::Tensor x) {
  auto y = torch::empty_like(x);
  tile<<<1, dim3(32, 32)>>>(y.data_ptr<float>(), x.data_ptr<float>());
  return y;
}
)");
  EXPECT_EQ(check.refused, "");
  ASSERT_EQ(check.facts.kernels.size(), 1u);
  const VerdictDeviceKernel& kernel = check.facts.kernels[0];
  EXPECT_EQ(kernel.kernel, "tile");
  EXPECT_EQ(kernel.shared, 32 * 33 * 4);
  EXPECT_EQ(kernel.spills, 0);
  // 1,024 threads share 65,536 registers.
  EXPECT_GT(kernel.registers, 4);
  EXPECT_LE(kernel.registers, 64);
  EXPECT_EQ(check.facts.architecture, "sm_80");
  EXPECT_THAT(check.facts.compiler, StartsWith("nvrtc "));
  EXPECT_FALSE(check.facts.renamed);
}

TEST_F(DeviceCheckTest, LocalArraysAreOnTheStack) {
  const DeviceReport check = Check(R"(
__global__ void pick(float* out, const int* which) {
  float cells[100];
  for (int i = 0; i < 100; ++i) cells[i] = out[i];
  out[threadIdx.x] = cells[which[threadIdx.x]];
}
)");
  ASSERT_EQ(check.facts.kernels.size(), 1u);
  EXPECT_EQ(check.facts.kernels[0].stack, 400);
}

TEST_F(DeviceCheckTest, TemplatesAreCompiledAsTheyAreLaunched) {
  const DeviceReport check = Check(R"(
namespace ours {
template <typename T, int kTimes>
__global__ void scale(T* x) { x[threadIdx.x] *= kTimes; }
}
torch::Tensor scaled(torch::Tensor x) {
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] {
    ours::scale<scalar_t, 4><<<1, 32>>>(x.data_ptr<scalar_t>());
    ours::scale<scalar_t, 8><<<1, 32>>>(x.data_ptr<scalar_t>());
  });
  return x;
}
)");
  EXPECT_EQ(check.refused, "");
  EXPECT_THAT(check.facts.unchecked, IsEmpty());
  std::vector<std::string> names;
  for (const VerdictDeviceKernel& kernel : check.facts.kernels) names.push_back(kernel.kernel);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("ours::scale<float, 4>", "ours::scale<float, 8>"));
}

TEST_F(DeviceCheckTest, RefusesWhatADeviceDoesNotHaveWithItsLine) {
  const std::string host_function = R"(
float half_of(float x) { return x / 2; }
__global__ void halve(float* x) {
  x[threadIdx.x] = half_of(x[threadIdx.x]);
}
)";
  EXPECT_THAT(Check(host_function).refused, StartsWith("cuda.cu:6: error: "));
  EXPECT_THAT(Check(host_function).refused, HasSubstr("half_of"));

  const std::string fourth_dimension = R"(
__global__ void fill(float* x) {
  x[threadIdx.x] = 1;

  x[threadIdx.w] = 1;
}
)";
  EXPECT_THAT(Check(fourth_dimension).refused, StartsWith("cuda.cu:7: error: "));

  // torch's flags disable the operators of __half, and an answer's own may give them back.
  ExtensionSources operators;
  operators.cuda_sources = {kTorch + std::string(R"(
#include <cuda_fp16.h>
__global__ void add(__half* x) { x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 32]; }
)")};
  EXPECT_EQ(Check(operators).refused, "");
  operators.defines = {{"__CUDA_NO_HALF_OPERATORS__", "1"}};
  EXPECT_THAT(Check(operators).refused, StartsWith("cuda.cu:5: error: "));
}

TEST_F(DeviceCheckTest, WhatTorchsHeadersGiveIsUnchecked) {
  const DeviceReport check = Check(R"(
__global__ void fill(at::PhiloxCudaState x) {}
__global__ void other(float* x) { x[threadIdx.x] = unknown_to_everyone(1); }
)");
  EXPECT_EQ(check.refused, "");
  EXPECT_THAT(check.facts.kernels, IsEmpty());
  EXPECT_THAT(check.facts.unchecked, ElementsAre(StartsWith("fill: it takes at::"),
                                                 StartsWith("other: it takes unknown")));
}

TEST_F(DeviceCheckTest, RefusesWhatOnlyTheHostHas) {
  EXPECT_THAT(Check(R"(
#include <algorithm>
__global__ void sorted(float* x) { std::sort(x, x + 4); }
)")
                  .refused,
              StartsWith("cuda.cu:5: error: namespace \"std\" has no member \"sort\""));
  EXPECT_THAT(Check(R"(
#include <vector>
__global__ void kept(float* x) { std::vector<float> held(4); x[0] = held[0]; }
)")
                  .refused,
              HasSubstr("cuda::std"));
  EXPECT_THAT(Check(R"(
static float factor = 2.0f;
__global__ void scaled(float* x) { x[threadIdx.x] *= factor; }
)")
                  .refused,
              HasSubstr("factor is the host's"));
  EXPECT_THAT(Check(R"(
__global__ void noise(float* x) { x[threadIdx.x] = rand(); }
)")
                  .refused,
              HasSubstr("rand is the host's"));
  // A template whose body depends on its arguments, beside a name of torch's.
  EXPECT_THAT(Check(R"(
template <typename T> T half_of(T x) { return x / 2; }
template <typename T> __global__ void halve(T* x) {
  x[threadIdx.x] = half_of(x[threadIdx.x]) + at::opmath_type<T>(0);
}
void run(float* x) { halve<float><<<1, 32>>>(x); }
)")
                  .refused,
              HasSubstr("half_of"));
}

TEST_F(DeviceCheckTest, RefusesWhatTheAssemblerRefuses) {
  EXPECT_THAT(Check(R"(
__global__ void big(float* x) {
  __shared__ float cells[20000];
  cells[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = cells[threadIdx.x ^ 1];
}
)")
                  .refused,
              HasSubstr("80000 bytes of static shared memory"));
  EXPECT_THAT(Check(R"(
__device__ float defined_nowhere(float x);
__global__ void calls(float* x) { x[threadIdx.x] = defined_nowhere(x[threadIdx.x]); }
)")
                  .refused,
              HasSubstr("Unresolved extern function"));
}

TEST_F(DeviceCheckTest, KnowsWhatLaunchBoundsAllow) {
  const DeviceReport check = Check(R"(
template <int kThreads>
__global__ void __launch_bounds__(kThreads) fill(float* x) { x[threadIdx.x] = kThreads; }
void run(float* x) { fill<256><<<1, 256>>>(x); }
)");
  EXPECT_EQ(check.refused, "");
  ASSERT_EQ(check.bounds.size(), 1u);
  EXPECT_EQ(check.bounds[0].kernel, "fill<256>");
  EXPECT_EQ(check.bounds[0].threads, 256);
}

TEST_F(DeviceCheckTest, TheLibraryIsReadWholeWhereThePreludeIsNotEnough) {
  const DeviceReport check = Check(R"(
#include <functional>
__global__ void add(float* x) { x[threadIdx.x] = std::plus<float>()(x[0], x[1]); }
)");
  EXPECT_EQ(check.refused, "");
  EXPECT_THAT(check.facts.kernels, Contains(Field(&VerdictDeviceKernel::kernel, "add")));
  const DeviceReport more = Check(R"(
#include <array>
#include <numeric>
__global__ void sum(float* x, int n) {
  std::array<float, 3> kept{1, 2, 3};
  CUDA_KERNEL_LOOP(i, n) { x[i] = std::accumulate(kept.begin(), kept.end(), 0.0f) + M_PI; }
}
)");
  EXPECT_EQ(more.refused, "");
  EXPECT_THAT(more.facts.unchecked, IsEmpty());
}

TEST_F(DeviceCheckTest, KernelsOfMusaAreCompiledUnderCudasNames) {
  ExtensionSources sources;
  sources.backend = &kMusaBackend;
  sources.headers["scale.muh"] =
      "#pragma once\n__device__ float scaled(float x) { return 2 * x; }\n";
  sources.cuda_sources = {R"(#include <torch/extension.h>
#include <musa_runtime.h>
#include <musa_bf16.h>
)"
                          "#include \"scale.muh\"\n"
                          R"(
__global__ void scale(__mt_bfloat16* x) {
  x[threadIdx.x] = __float2bfloat16(scaled(__bfloat162float(x[threadIdx.x])));
}
)"};
  const DeviceReport check = Check(sources);
  EXPECT_EQ(check.refused, "");
  EXPECT_THAT(check.facts.unchecked, IsEmpty());
  EXPECT_THAT(check.facts.kernels, Contains(Field(&VerdictDeviceKernel::kernel, "scale")));
  EXPECT_TRUE(check.facts.renamed);
}

TEST_F(DeviceCheckTest, HostileSourcesEndAndReachNothing) {
  const DeviceReport include = Check(
      "#include \"/etc/passwd\"\n"
      R"(
__global__ void fill(float* x) { x[threadIdx.x] = 1; }
)");
  EXPECT_EQ(include.refused, "");
  for (const std::string& why : include.facts.unchecked) EXPECT_EQ(why.find("root:"), why.npos);
  const DeviceReport endless = Check(R"(
template <int kN> struct Deep { static constexpr int value = Deep<kN + 1>::value; };
__global__ void fill(float* x) { x[threadIdx.x] = Deep<0>::value; }
)");
  EXPECT_THAT(endless.facts.kernels, IsEmpty());
}

TEST_F(DeviceCheckTest, AnAnswerFromTheCacheIsTheSame) {
  const std::string code = "__global__ void fill(float* x) { x[threadIdx.x] = 1; }\n";
  const DeviceReport first = Check(code), second = Check(code);
  EXPECT_EQ(first.facts.ToJson(), second.facts.ToJson());
  EXPECT_EQ(first.refused, second.refused);
}

}  // namespace
}  // namespace kernelmill
