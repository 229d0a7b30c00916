#include "parsers/kernel_slices/kernel_twins.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "parsers/kernel_slices/port_slicer.h"

namespace kernelmill {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<const NativeIndex> IndexOf(
    const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<NativeFile> files;
  for (const auto& [path, text] : texts) {
    files.push_back({path, "", "", {}, CudaFile::Parse(text)});
  }
  return std::make_shared<const NativeIndex>(std::move(files));
}

std::vector<std::string> NamesOf(const NativeIndex& index) {
  std::vector<std::string> names;
  for (const KernelTwins& twins : FindKernelTwins(index)) {
    names.push_back(index.item(twins.kernel.file, twins.kernel.item).name + " " +
                    index.files()[twins.port.file].path + " " +
                    index.item(twins.port.file, twins.port.item).name);
  }
  return names;
}

std::string Kernel(const std::string& name) {
  return "__global__ void " + name + "(float* x) { x[threadIdx.x] = 1; }\n";
}

TEST(KernelTwins, PathsFollowThePlatformsNameAndSuffix) {
  EXPECT_THAT(TwinPaths("ops/cuda/nms_cuda_kernel.cuh", kMusaBackend),
              Contains("ops/musa/nms_musa_kernel.muh"));
  EXPECT_THAT(TwinPaths("ops/scale.cu", kMusaBackend), Contains("ops/scale.mu"));
  EXPECT_THAT(TwinPaths("ops/scale.cu", kMusaBackend), Not(Contains("ops/scale.cu")));
}

TEST(KernelTwins, PairsKernelsByFileAndName) {
  const auto index = IndexOf({{"cuda/a.cu", Kernel("a_cuda") + Kernel("same") + Kernel("alone")},
                              {"musa/a.mu", Kernel("same") + Kernel("a_musa")},
                              {"cuda/b.cu", Kernel("b_cuda")},
                              {"other/b.mu", Kernel("b_musa")}});
  EXPECT_THAT(NamesOf(*index), ElementsAre("a_cuda musa/a.mu a_musa", "same musa/a.mu same"));
}

TEST(KernelTwins, PairsOverloadsOnlyIfBothHaveAsMany) {
  const std::string two = Kernel("k") + "__global__ void k(int* x) { x[threadIdx.x] = 1; }\n";
  EXPECT_EQ(NamesOf(*IndexOf({{"k.cu", two}, {"k.mu", two}})).size(), 2u);
  EXPECT_EQ(NamesOf(*IndexOf({{"k.cu", two}, {"k.mu", Kernel("k")}})).size(), 0u);
}

TEST(KernelTwins, APortHasHeadersKernelsAndTheirHostCode) {
  const auto index = IndexOf(
      {{"cuda/loop.cuh",
        "#pragma once\n#include <cuda_runtime.h>\n#define CUDA_LOOP(i, n) "
        "for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
        "__global__ void fill_cuda(float* x, int n) { CUDA_LOOP(i, n) x[i] = 1; }\n"},
       {"cuda/fill.cu",
        "#include \"loop.cuh\"\n#include <vector>\nvoid unrelated() {}\n"
        "void fill(float* x, int n) { fill_cuda<<<1, 256>>>(x, n); }\n"},
       {"musa/loop.muh",
        "#pragma once\n#include <musa_runtime.h>\n#define MUSA_LOOP(i, n) "
        "for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
        "__global__ void fill_musa(float* x, int n) { MUSA_LOOP(i, n) x[i] = 1; }\n"},
       {"musa/fill.mu",
        "#include \"loop.muh\"\nvoid fill(float* x, int n) { fill_musa<<<1, 256>>>(x, n); }\n"}});
  const std::vector<KernelTwins> twins = FindKernelTwins(*index);
  ASSERT_EQ(twins.size(), 1u);
  TranslationUnits units(index);
  const PortCut cut = CutPort(&units, twins[0], {});
  EXPECT_TRUE(cut.same_hosts);
  EXPECT_EQ(cut.files.size(), 4u);
  EXPECT_THAT(cut.port.kernels, ElementsAre("fill_cuda"));
  EXPECT_FALSE(cut.port.port_kernels.empty());
  for (const char* part : {"#include <cuda_runtime.h>", "#include <vector>", "#define CUDA_LOOP",
                           "void fill_cuda(", "fill_cuda<<<1, 256>>>"}) {
    EXPECT_THAT(cut.port.code, HasSubstr(part));
  }
  EXPECT_THAT(cut.port.code, Not(HasSubstr("unrelated")));
  EXPECT_THAT(cut.port.port_code, HasSubstr("fill_musa<<<1, 256>>>"));
  EXPECT_THAT(cut.port.port_code, Not(HasSubstr("cuda")));
}

// The text of the only kernel of the units, and what it lacks.
KernelSource Cut(const std::vector<std::pair<std::string, std::string>>& texts,
                 const std::string& path) {
  TranslationUnits units(IndexOf(texts));
  const NativeIndex& index = units.index();
  const int file = index.FileAt(path);
  const auto& items = index.files()[file].cuda.items;
  const auto kernel =
      std::find_if(items.begin(), items.end(), [](const CudaItem& item) { return item.kernel; });
  return CutKernel(&units, file, static_cast<int>(kernel - items.begin()), {}).kernel;
}

TEST(KernelSlices, AMacroThatBeginsALoopIsNeeded) {
  const KernelSource kernel =
      Cut({{"k.cu",
            "#define LOOP(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)\n"
            "constexpr int kRows = 4;\n"
            "__global__ void k(float* x, int n) {\n  LOOP(i, n) {\n    x[i] = 1;\n  }\n"
            "  LOOP(j, kRows) {\n    x[j] = 2;\n  }\n}\n"}},
          "k.cu");
  EXPECT_THAT(kernel.code, HasSubstr("#define LOOP"));
  EXPECT_THAT(kernel.code, HasSubstr("kRows = 4"));
  EXPECT_THAT(kernel.missing, ElementsAre());
}

TEST(KernelSlices, AnOptionThatNobodyAsksForIsOff) {
  const std::string kernel = "__global__ void k(float* x) { x[0] = VALUE; }\n";
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"k.cu",
       "#ifdef WITH_PARROTS\n#include \"other.cuh\"\n#include \"value.cuh\"\n#else\n"
       "#include \"value.cuh\"\n#endif\n" +
           kernel},
      {"other.cuh", "#define OTHER 1\n"},
      {"value.cuh", "#define VALUE 1\n#ifdef WITH_MUSA\n#define VALUE 2\n#endif\n"}};
  const std::string code = Cut(texts, "k.cu").code;
  EXPECT_THAT(code, HasSubstr("#define VALUE 1"));
  EXPECT_THAT(code, Not(HasSubstr("#if")));
  EXPECT_THAT(code, Not(HasSubstr("VALUE 2")));
  // What the repository defines, and what has no other branch, is kept under its condition.
  auto defined = texts;
  defined.push_back({"config.h", "#define WITH_PARROTS 1\n"});
  EXPECT_THAT(Cut(defined, "k.cu").code, HasSubstr("#ifdef WITH_PARROTS"));
  EXPECT_THAT(Cut({{"k.cu", "#ifdef FAST\n#define VALUE 1\n#endif\n" + kernel}}, "k.cu").code,
              HasSubstr("#ifdef FAST"));
}

}  // namespace
}  // namespace kernelmill
