// Tests builds of extensions: sources that build, sources that do not and the reason, and files
// that the compiler must not reach.
#include "stages/verify/build/extension_build.h"
#include "tests/shared_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kKernel[] = R"(#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void fill(float* x, float v) { x[threadIdx.x] = v; }
torch::Tensor filled(torch::Tensor x, double v) {
  fill<<<1, x.numel()>>>(x.data_ptr<float>(), v);
  return x;
}
)";

class ExtensionBuild : public testing::Test {
 protected:
  void SetUp() override {
    Result<ExtensionCache> cache = ExtensionCache::Open(ExtensionCache::DefaultFolder());
    ASSERT_TRUE(cache.ok()) << cache.status().message();
    cache_ = *cache;
    Result<CudaRuntime> runtime = cache_.Runtime();
    ASSERT_TRUE(runtime.ok()) << runtime.status().message();
    runtime_ = *runtime;
  }

  BuiltExtension Build(const ExtensionSources& sources) {
    Result<BuiltExtension> built = BuildExtension(sources, cache_, runtime_);
    EXPECT_TRUE(built.ok()) << built.status().message();
    return built.ok() ? *built : BuiltExtension();
  }
  static ExtensionSources Inline(const std::string& cpp, const std::string& cuda,
                                 std::vector<std::string> functions) {
    ExtensionSources sources;
    sources.name = "test";
    if (!cpp.empty()) sources.cpp_sources = {cpp};
    sources.cuda_sources = {cuda};
    sources.functions = std::move(functions);
    return sources;
  }

  ExtensionCache cache_;
  CudaRuntime runtime_;
};

KM_SHARED_SUITE(ExtensionBuild);

TEST_F(ExtensionBuild, FunctionsOfLoadInline) {
  const BuiltExtension built =
      Build(Inline("torch::Tensor filled(torch::Tensor x, double v);", kKernel, {"filled"}));
  EXPECT_TRUE(built.ok) << built.log;
  EXPECT_TRUE(std::filesystem::exists(built.library));
}

TEST_F(ExtensionBuild, AFunctionThatTheCppSourcesDoNotDeclareIsUnknown) {
  const BuiltExtension built = Build(Inline("int other();", kKernel, {"filled"}));
  EXPECT_EQ(built.reason, "compile_error");
  EXPECT_THAT(built.log, HasSubstr("filled"));
}

TEST_F(ExtensionBuild, ADeclarationWithAnotherSignatureDoesNotLink) {
  const BuiltExtension built =
      Build(Inline("torch::Tensor filled(torch::Tensor x, int v);", kKernel, {"filled"}));
  EXPECT_EQ(built.reason, "link_error");
  // The log is the same in every run.
  EXPECT_THAT(built.log, HasSubstr(".o"));
  EXPECT_THAT(built.log, Not(HasSubstr("/tmp/")));
}

TEST_F(ExtensionBuild, SourcesThatOneUnitCannotHoldAreUnitsOfTheirOwn) {
  const std::string repeated = "\ntorch::Tensor twice(torch::Tensor x, double v = 2.0);\n";
  const BuiltExtension built =
      Build(Inline("#include <torch/extension.h>" + repeated + "static int helper = 1;\n",
                   kKernel + repeated + "static double helper = 2;\n" +
                       "torch::Tensor twice(torch::Tensor x, double v) { return filled(x, v); }\n",
                   {"twice"}));
  EXPECT_TRUE(built.ok) << built.log;
}

TEST_F(ExtensionBuild, DiagnosticsNameTheCandidatesOwnLines) {
  const BuiltExtension built = Build(Inline(
      "", std::string(kKernel) + "\n#define BAD(x) \\\n  x\n\nint broken = missing_name;\n", {}));
  EXPECT_FALSE(built.ok);
  EXPECT_EQ(built.reason, "compile_error");
  EXPECT_THAT(built.log, HasSubstr("cuda.cu:12:14: error: use of undeclared identifier"));
  EXPECT_THAT(built.log, Not(HasSubstr("/km/")));
}

TEST_F(ExtensionBuild, TheSameSourcesAreTheSameLibrary) {
  const ExtensionSources cuda = Inline(
      "", std::string(kKernel) + "cudaError_t wait_for_it() { return cudaDeviceSynchronize(); }\n",
      {});
  const BuiltExtension first = Build(cuda), second = Build(cuda);
  EXPECT_TRUE(first.ok) << first.log;
  EXPECT_EQ(first.library, second.library);
  ExtensionSources other = cuda;
  other.defines = {{"FAST", "1"}};
  EXPECT_NE(Build(other).library, first.library);
}

TEST_F(ExtensionBuild, HeadersOfTheCandidateAndMacros) {
  ExtensionSources sources =
      Inline("", "#include \"parts/shape.h\"\nstatic_assert(kWidth == WIDTH);\n", {});
  sources.headers = {{"parts/shape.h", "constexpr int kWidth = 7;\n"},
                     {"../../outside.h", "#error not here\n"}};
  sources.defines = {{"WIDTH", "7"}, {"BAD NAME", "1"}};
  const BuiltExtension built = Build(sources);
  EXPECT_TRUE(built.ok) << built.log;
}

TEST_F(ExtensionBuild, FlagsSayWhichOperatorsHalfPrecisionHas) {
  const std::string adds = "__half sum(__half a, __half b) { return a + b; }\n";
  ExtensionSources sources = Inline("", adds, {});
  EXPECT_TRUE(Build(sources).ok);
  sources.defines = {{"__CUDA_NO_HALF_OPERATORS__", "1"}, {"__CUDA_NO_HALF_CONVERSIONS__", "1"}};
  EXPECT_EQ(Build(sources).reason, "compile_error");
  sources.cuda_sources = {"__half sum(__half a, __half b) { return __hadd(a, b); }\n"};
  EXPECT_TRUE(Build(sources).ok);
}

TEST_F(ExtensionBuild, FlagsSayWhatTheMacroOfTheLanguageIs) {
  ExtensionSources sources =
      Inline("", "static_assert((__cplusplus > 201703) == NEWER);\n", {});
  for (const std::string language : {"c++17", "c++20"}) {
    sources.defines = {{"NEWER", language == "c++20" ? "true" : "false"}, {"-std", language}};
    sources.cpp_defines = sources.defines;
    const BuiltExtension built = Build(sources);
    EXPECT_TRUE(built.ok) << language << built.log;
  }
}

TEST_F(ExtensionBuild, NothingOfTheMachineCanBeRead) {
  for (const std::string path :
       {"/etc/passwd", "/root/.bashrc", "/proc/self/environ", "../../../../../../etc/hostname"}) {
    const BuiltExtension built = Build(Inline("", "#include \"" + path + "\"\n", {}));
    EXPECT_EQ(built.reason, "compile_error") << path;
    EXPECT_THAT(built.log, HasSubstr("file not found")) << path;
  }
  const BuiltExtension embedded =
      Build(Inline("", "extern \"C\" void f() { asm(\".incbin \\\"/etc/passwd\\\"\"); }\n", {}));
  EXPECT_FALSE(embedded.ok);
}

TEST_F(ExtensionBuild, NamesOfFunctionsAreNoCode) {
  const BuiltExtension built = Build(Inline("", kKernel, {"filled); } int x = (1"}));
  EXPECT_EQ(built.reason, "compile_error");
}

TEST_F(ExtensionBuild, WhatTheExecutorLacksIsNoFaultOfTheCandidate) {
  const BuiltExtension grid =
      Build(Inline("",
                   "#include <cooperative_groups.h>\n__global__ void k() { "
                   "cooperative_groups::this_grid().sync(); }\n",
                   {}));
  EXPECT_EQ(grid.reason, "unsupported_feature");
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
           {"asm volatile(\"wgmma.fence.sync.aligned;\");", "wgmma.fence.sync.aligned"},
           {"int r; asm(\"add.cc.u32 %0, %0, 1;\" : \"+r\"(r));", "add.cc.u32"},
           {"int r; asm(\"mov.u32 %0, %%smid;\" : \"=r\"(r));", "smid"},
           {"asm(\"{ bra DONE; DONE: }\");", "bra"}}) {
    const BuiltExtension built = Build(Inline("", "__global__ void k() { " + text + " }\n", {}));
    EXPECT_EQ(built.reason, "unsupported_feature") << text;
    EXPECT_THAT(built.log, HasSubstr("the executor does not run inline PTX '" + name + "'"));
  }
  // Bindings support tensors and plain values, but no Python objects.
  const BuiltExtension dict = Build(Inline("", "py::dict f() { return py::dict(); }\n", {"f"}));
  EXPECT_EQ(dict.reason, "unsupported_feature");
}

}  // namespace
}  // namespace kernelmill
