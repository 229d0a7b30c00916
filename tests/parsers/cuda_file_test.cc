#include "parsers/cuda_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace kernelmill {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

const CudaItem* Find(const CudaFile& file, std::string_view name) {
  const auto at = std::find_if(file.items.begin(), file.items.end(),
                               [&](const CudaItem& item) { return item.name == name; });
  return at == file.items.end() ? nullptr : &*at;
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Checks the invariants that hold for every input.
void ExpectSound(const CudaFile& file) {
  const auto size = static_cast<std::int64_t>(file.source.size());
  for (const CudaItem& item : file.items) {
    EXPECT_LE(0, item.lead);
    EXPECT_LE(item.lead, item.first);
    EXPECT_LE(item.first, item.last);
    EXPECT_LE(item.last, size);
    EXPECT_LE(1, item.first_line);
    EXPECT_LE(item.first_line, item.last_line);
    EXPECT_LT(item.scope, static_cast<std::int64_t>(file.scopes.size()));
  }
  const Result<CudaFile> again = CudaFile::FromJson(file.ToJson());
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->ToJson(), file.ToJson());
}

constexpr char kSource[] = R"cuda(#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define BLOCK 256
constexpr float kScale = 2.0f;

namespace device {
// Twice its argument.
template <typename T>
__device__ __forceinline__ T twice(T x) {
  return x * static_cast<T>(kScale);
}
}  // namespace device

#ifdef WITH_BOUNDS
template <typename T>
__global__ void __launch_bounds__(BLOCK) scale(const T* __restrict__ in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = device::twice(in[i]);
}
#endif

void run(const float* in, float* out, int n, cudaStream_t stream) {
  const dim3 block(BLOCK);
  dim3 grid((n + BLOCK - 1) / BLOCK);
  scale<float><<<grid, block, 0, stream>>>(in, out, n);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("run", &run, "Scales.");
}
)cuda";

TEST(CudaFile, FindsKernelsWithWhatTheyUse) {
  const CudaFile file = CudaFile::Parse(kSource);
  ExpectSound(file);
  const CudaItem* kernel = Find(file, "scale");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->kernel);
  EXPECT_TRUE(kernel->body);
  EXPECT_FALSE(kernel->has_error);
  EXPECT_EQ(kernel->first_line, 16);
  EXPECT_EQ(kernel->last_line, 20);
  EXPECT_THAT(kernel->uses, Contains("device::twice"));
  EXPECT_THAT(kernel->uses, Contains("BLOCK"));
  EXPECT_THAT(kernel->uses, Not(Contains("in")));
  EXPECT_THAT(kernel->uses, Not(Contains("i")));
  ASSERT_GE(kernel->scope, 0);
  EXPECT_EQ(file.scopes[kernel->scope].open, "#ifdef WITH_BOUNDS");
  const CudaItem* function = Find(file, "twice");
  ASSERT_NE(function, nullptr);
  EXPECT_TRUE(function->device);
  EXPECT_FALSE(function->kernel);
  EXPECT_EQ(file.source.substr(function->lead, 5), "// Tw");
  EXPECT_EQ(file.scopes[function->scope].name, "device");
}

TEST(CudaFile, ReadsLaunchesWithTheirConfigurationAndBindings) {
  const CudaFile file = CudaFile::Parse(kSource);
  const CudaItem* host = Find(file, "run");
  ASSERT_NE(host, nullptr);
  EXPECT_FALSE(host->device);
  ASSERT_EQ(host->launches.size(), 1u);
  const CudaLaunch& launch = host->launches[0];
  EXPECT_EQ(launch.kernel, "scale");
  EXPECT_EQ(launch.line, 26);
  EXPECT_EQ(launch.launch.function, "run");
  EXPECT_EQ(launch.launch.template_arguments, "float");
  EXPECT_EQ(launch.launch.grid, "grid");
  EXPECT_EQ(launch.launch.block, "block");
  EXPECT_EQ(launch.launch.shared, "0");
  EXPECT_EQ(launch.launch.stream, "stream");
  EXPECT_THAT(launch.launch.setup,
              ElementsAre("const dim3 block(BLOCK);", "dim3 grid((n + BLOCK - 1) / BLOCK);"));
  ASSERT_EQ(file.bindings.size(), 1u);
  EXPECT_EQ(file.bindings[0].name, "run");
  EXPECT_EQ(file.bindings[0].function, "run");
}

TEST(CudaFile, ReadsTheBindingsOfTorchLibraries) {
  const CudaFile file = CudaFile::Parse(
      "TORCH_LIBRARY(mine, m) {\n  m.def(\"scale(Tensor x) -> Tensor\");\n"
      "  m.def(\"twice\", &ns::twice_cuda);\n}\n"
      "TORCH_LIBRARY_IMPL(mine, CUDA, m) {\n  m.impl(\"scale\", TORCH_FN(scale_cuda));\n}\n");
  std::vector<std::string> found;
  for (const CudaBinding& binding : file.bindings) {
    found.push_back(binding.name + "=" + binding.function);
  }
  EXPECT_THAT(found, ElementsAre("twice=twice_cuda", "scale=scale_cuda"));
}

TEST(CudaFile, AnErrorInOneDefinitionLeavesTheOthersAlone) {
  const CudaFile file = CudaFile::Parse(
      "__global__ void good(float* x) { x[0] = 1; }\n\n"
      "__global__ void bad(float* x) { x[0] = = ) 1; }\n\n"
      "__global__ void fine(float* x) { x[0] = 2; }\n");
  ExpectSound(file);
  ASSERT_NE(Find(file, "good"), nullptr);
  ASSERT_NE(Find(file, "fine"), nullptr);
  EXPECT_FALSE(Find(file, "good")->has_error);
  EXPECT_FALSE(Find(file, "fine")->has_error);
}

// A recursive parser would overflow the stack on these inputs.
TEST(CudaFile, SurvivesHostileText) {
  const std::string kernel = "\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n";
  const std::vector<std::string> sources = {
      "",
      std::string("\0\0\0", 3),
      "#define",
      "#define OPEN(x) do { (((\n" + kernel,
      "#define NEVER \\\n\\\n\\",
      "#define F(a, b\n" + kernel,
      "/* never closed" + kernel,
      "\"never closed" + kernel,
      "R\"x(never closed" + kernel,
      "__launch_bounds__(" + kernel,
      "__attribute__((((" + kernel,
      "k<<<" + kernel,
      Repeated("#if A\n", 3000) + kernel,
      Repeated("#else\n", 3000) + kernel,
      Repeated("namespace a { ", 3000) + kernel,
      "__global__ void deep() {" + Repeated("{", 5000) + Repeated("}", 5000) + "}",
      "__global__ void deep(float* x) { x[0] = " + Repeated("(", 5000) + "1" + Repeated(")", 5000) +
          "; }",
      "__global__ void deep(int i) { " + Repeated("if (i) ", 5000) + "; }",
      "struct " + Repeated("A { struct ", 3000) + "B;",
      Repeated("template <", 3000) + kernel,
      Repeated("::a", 20000),
      Repeated("a ", 1 << 19),  // One line of 1 MB.
      "__global__ void wide(int i) { i = 1" + Repeated(" + 1", 20000) + "; }",
  };
  for (const std::string& source : sources) {
    SCOPED_TRACE(source.substr(0, 60));
    ExpectSound(CudaFile::Parse(source));
  }
}

}  // namespace
}  // namespace kernelmill
