#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "corpora/records/kernel_source.h"
#include "corpora/records/record.h"
#include "stages/fetch/source.h"
#include "stages/render/renderer.h"
#include "tests/stages/mine/mined_repository.h"

namespace kernelmill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct MinedKernels {
  std::map<std::string, Record> records;  // By the kernel's name.
  StepCounts counts;                      // Of slice_kernels; empty when it did not run.

  KernelSource Kernel(const std::string& name) const {
    const auto found = records.find(name);
    if (found == records.end()) {
      ADD_FAILURE() << "no kernel " << name;
      return {};
    }
    Result<KernelSource> kernel = KernelSource::FromJson(found->second.payload);
    EXPECT_TRUE(kernel.ok());
    return kernel.ok() ? *kernel : KernelSource();
  }
};

MinedKernels MineAll(const GitFixture& git, const std::vector<std::string>& settings = {}) {
  git.CommitAll();
  const Result<ResolvedSource> source = Resolve({git.folder().string(), "", "https://x.org/r"});
  EXPECT_TRUE(source.ok()) << source.status().message();
  RunOptions run_options;
  run_options.output = (git.folder() / ".git/out").string();
  run_options.jobs = 1;
  run_options.partitions = 1;
  Result<Run> run = Run::Open(run_options);
  EXPECT_TRUE(run.ok()) << run.status().message();
  const Status status = MineInThisProcess(&*run, *source, settings);
  EXPECT_TRUE(status.ok()) << status.message();
  MinedKernels mined;
  for (const auto& [plan, counts] : run->finished()) {
    if (plan.step != "slice_kernels") continue;
    mined.counts = counts;
    EXPECT_TRUE(run->ForEachOutput("slice_kernels",
                                   [&](std::string_view, std::string_view body) -> Status {
                                     KM_ASSIGN(Record record, Record::Decode(body));
                                     const std::string name =
                                         record.attributes.at("name").as_string();
                                     mined.records.emplace(name, std::move(record));
                                     return Status::Ok();
                                   })
                    .ok());
  }
  return mined;
}

constexpr char kMathHeader[] =
    "#pragma once\n\n#define HALF 0.5f\n#define UNUSED 7\n\n"
    "struct Pair {\n  float a, b;\n};\n\n"
    "namespace math {\n__device__ inline float mean(const Pair& p) { return (p.a + p.b) * HALF; }\n"
    "__device__ inline float never(float x) { return x; }\n}  // namespace math\n";
constexpr char kKernelFile[] =
    "#include <cuda_runtime.h>\n#include \"include/math.cuh\"\n\n"
    "__global__ void mean_kernel(const Pair* in, float* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n) return;\n  out[i] = math::mean(in[i]);\n}\n\n"
    "void launch_mean(const Pair* in, float* out, int n) {\n"
    "  mean_kernel<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n";

void WriteMean(const GitFixture& git) {
  git.Write("LICENSE", kMitLicence);
  git.Write("csrc/include/math.cuh", kMathHeader);
  git.Write("csrc/mean.cu", kKernelFile);
  git.Write("csrc/bind.cpp",
            "void launch_mean(const Pair* in, float* out, int n);\n"
            "at::Tensor mean(at::Tensor x) { launch_mean(x); return x; }\n"
            "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"mean\", &mean); }\n");
}

TEST(MineKernels, CutsAKernelOutWithWhatItNeedsAcrossFiles) {
  const GitFixture git;
  WriteMean(git);
  const MinedKernels mined = MineAll(git);
  const KernelSource kernel = mined.Kernel("mean_kernel");
  EXPECT_EQ(kernel.backend, "cuda");
  EXPECT_TRUE(kernel.Complete()) << kernel.missing[0];
  // Each definition precedes its use, and unused definitions are left out.
  const std::string& code = kernel.code;
  const auto macro = code.find("#define HALF"), type = code.find("struct Pair"),
             function = code.find("float mean("), entry = code.find("mean_kernel");
  ASSERT_NE(macro, std::string::npos);
  EXPECT_LT(macro, function);
  EXPECT_LT(type, function);
  EXPECT_LT(function, entry);
  EXPECT_THAT(code, Not(HasSubstr("UNUSED")));
  EXPECT_THAT(code, Not(HasSubstr("never")));
  EXPECT_THAT(code, Not(HasSubstr("launch_mean")));
  const std::string before = code.substr(0, entry);
  EXPECT_EQ(kernel.line, 1 + std::count(before.begin(), before.end(), '\n'));

  ASSERT_EQ(kernel.launches.size(), 1u);
  EXPECT_EQ(kernel.launches[0].function, "launch_mean");
  EXPECT_EQ(kernel.launches[0].grid, "(n + 255) / 256");
  EXPECT_EQ(kernel.launches[0].block, "256");
  ASSERT_EQ(kernel.bindings.size(), 1u);
  EXPECT_EQ(kernel.bindings[0].name, "mean");
  EXPECT_EQ(kernel.bindings[0].launcher, "launch_mean");

  const Record& record = mined.records.at("mean_kernel");
  ASSERT_EQ(record.origins.size(), 1u);
  EXPECT_EQ(record.origins[0].path, "csrc/mean.cu");
  EXPECT_EQ(record.origins[0].symbol, "mean_kernel");
  EXPECT_EQ(record.origins[0].first_line, 4);
  EXPECT_EQ(record.origins[0].last_line, 8);
  ASSERT_EQ(record.licences.size(), 1u);
  EXPECT_EQ(record.licences[0].spdx, "MIT");
  EXPECT_EQ(record.attributes.at("launch_sites").as_array()[0].as_string(), "csrc/mean.cu:11");
}

TEST(MineKernels, EqualKernelsOfTwoPlacesHaveOneContent) {
  const GitFixture git;
  WriteMean(git);
  const Digest first = MineAll(git).records.at("mean_kernel").ContentId();
  const GitFixture other;
  WriteMean(other);
  other.Write("csrc/mean.cu", "// Moved down.\n\n\n" + std::string(kKernelFile));
  EXPECT_EQ(MineAll(other).records.at("mean_kernel").ContentId(), first);
}

TEST(MineKernels, NamesWhatTheRepositoryDoesNotHave) {
  const GitFixture git;
  git.Write("LICENSE", kMitLicence);
  git.Write("k.cu",
            "__global__ void k(float* x) {\n  x[threadIdx.x] = elsewhere(glm::length(x[0]));\n}\n");
  const KernelSource kernel = MineAll(git).Kernel("k");
  EXPECT_FALSE(kernel.Complete());
  EXPECT_THAT(kernel.missing, ElementsAre("elsewhere", "glm::length"));
}

TEST(MineKernels, EveryFileOfASliceNeedsALicence) {
  const GitFixture git;
  WriteMean(git);
  git.Write("csrc/include/math.cuh",
            "// SPDX-License-Identifier: GPL-3.0-only\n" + std::string(kMathHeader));
  const MinedKernels mined = MineAll(git);
  EXPECT_THAT(mined.records, IsEmpty());
  EXPECT_EQ(mined.counts.rejected.at("licence"), 1);
}

TEST(MineKernels, RefusesTextThatWouldEndAMessage) {
  const GitFixture git;
  git.Write("LICENSE", kMitLicence);
  git.Write("k.cu", "__global__ void k(float* x) {\n  // <|im_end|>\n  x[0] = 1;\n}\n");
  EXPECT_EQ(MineAll(git).counts.rejected.at("chat_marker"), 1);
}

TEST(MineKernels, ReadsMusaSources) {
  const GitFixture git;
  git.Write("LICENSE", kMitLicence);
  git.Write("k.mu",
            "#include <musa_runtime.h>\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n");
  EXPECT_EQ(MineAll(git).Kernel("k").backend, "musa");
}

TEST(MineKernels, ReadsCudaInTheStringsOfPython) {
  const GitFixture git;
  git.Write("LICENSE", kMitLicence);
  git.Write("ops.py",
            "from torch.utils.cpp_extension import load_inline\n\nSOURCE = r\"\"\"\n"
            "__device__ float twice(float x) { return 2 * x; }\n\n"
            "__global__ void twice_kernel(float* x, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i < n) x[i] = twice(x[i]);\n}\n\n"
            "void run_twice(float* x, int n) { twice_kernel<<<(n + 63) / 64, 64>>>(x, n); }\n"
            "\"\"\"\nops = load_inline(name=\"ops\", cpp_sources=\"\", cuda_sources=SOURCE,\n"
            "                  functions=[\"run_twice\"])\n"
            "OTHER = f\"\"\"__global__ void {SOURCE}(float* x) {{ }}\"\"\"\n");
  const MinedKernels mined = MineAll(git);
  ASSERT_EQ(mined.records.size(), 1u);
  const KernelSource kernel = mined.Kernel("twice_kernel");
  EXPECT_TRUE(kernel.Complete());
  EXPECT_TRUE(kernel.code.starts_with("__device__ float twice")) << kernel.code;
  EXPECT_EQ(mined.records.at("twice_kernel").origins[0].first_line, 6);
  ASSERT_EQ(kernel.bindings.size(), 1u);
  EXPECT_EQ(kernel.bindings[0].name, "run_twice");
}

TEST(MineKernels, NamesThatMayMeanTwoFunctionsProveNoBinding) {
  const GitFixture git;
  WriteMean(git);
  git.Write("csrc/other.cpp",
            "struct Other { void launch_mean(int); };\nvoid Other::launch_mean(int) {}\n");
  EXPECT_THAT(MineAll(git).Kernel("mean_kernel").bindings, IsEmpty());
}

TEST(MineKernels, LeavesNativeSourcesAloneWhenNotWanted) {
  const GitFixture git;
  WriteMean(git);
  const MinedKernels mined = MineAll(git, {"mine.kernels=false"});
  EXPECT_THAT(mined.records, IsEmpty());
}

TEST(MineKernels, OverloadsAndHostileFilesStopNothing) {
  const GitFixture git;
  git.Write("LICENSE", kMitLicence);
  git.Write("a.cu",
            "__global__ void k(float* x) { x[0] = 1; } __global__ void k(int* x) { x[0] = 2; }\n");
  git.Write("loop_a.cuh", "#include \"loop_b.cuh\"\n#define A B\n");
  git.Write("loop_b.cuh", "#include \"loop_a.cuh\"\n#define B A\n");
  git.Write("b.cu",
            "#include \"loop_a.cuh\"\n#include \"b.cu\"\n#include \"../../etc/passwd\"\n"
            "__global__ void round(float* x) { x[A] = 1; }\n");
  git.Write("c.cu", "#define NEVER (\\\n{{{\n__global__ void late(float* x) { x[0] = 1; }\n");
  git.Write("d.cu", "__global__ void deep(float* x) {" + std::string(20000, '{') +
                        std::string(20000, '}') + "}\n");
  std::string many;
  for (int i = 0; i < 3000; ++i) {
    many += "__global__ void many" + std::to_string(i) + "(int* x) {}\n";
  }
  git.Write("many.cu", many);
  const MinedKernels mined = MineAll(git);
  EXPECT_TRUE(mined.records.contains("many2999"));
  EXPECT_TRUE(mined.records.contains("k"));
  EXPECT_TRUE(mined.records.contains("round"));
  EXPECT_GE(mined.counts.in, 3003);
}

TEST(RenderKernel, WritesRowsThroughTheTable) {
  const GitFixture git;
  WriteMean(git);
  const MinedKernels mined = MineAll(git);
  const Record& record = mined.records.at("mean_kernel");
  const Renderer* renderer = RendererOf(record.kind);
  ASSERT_NE(renderer, nullptr);
  UntrustedChild child("");
  const std::vector<Record> records = {record};
  const RenderInput input = {records, record, 7};
  const Result<Rendering> rendering = renderer->render(input, child);
  ASSERT_TRUE(rendering.ok()) << rendering.status().message();
  EXPECT_EQ(rendering->reason, "");
  // The kernel is short: one question about what it computes, and one about its launch.
  ASSERT_EQ(rendering->rows.size(), 2u);
  EXPECT_THAT(rendering->rows[0].training.messages[1].content,
              testing::HasSubstr("`out[i] = math::mean(in[i])`"));
  EXPECT_THAT(rendering->rows[1].training.messages[0].content,
              testing::HasSubstr("mean_kernel<<<(n + 255) / 256, 256>>>"));
  EXPECT_THAT(rendering->rejected_rows, testing::IsEmpty());
  EXPECT_EQ(rendering->rows[0].training.task_id, record.ContentId());
  EXPECT_THAT(rendering->rows[0].inputs, ElementsAre(record.ContentId()));
  EXPECT_EQ(RendererOf(RecordKind::kTraining), nullptr);
}

}  // namespace
}  // namespace kernelmill
