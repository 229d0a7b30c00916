#include "generators/kernel_prose/port_prose.h"

#include <gmock/gmock.h>

#include "generators/grounding/unanswerable_claims.h"
#include "generators/kernel_prose/port_changes.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Change = PortChanges::Change;

KernelPort PortOf(std::string code, std::string port_code) {
  return {{"scale_cuda"}, {"scale_cuda"}, std::move(code), "musa", std::move(port_code)};
}

constexpr char kCuda[] =
    "#include <c10/cuda/CUDAGuard.h>\n#include <vector>\n\n"
    "#define CUDA_LOOP(i, n) for (int i = threadIdx.x; i < n; i += blockDim.x)\n\n"
    "// Scales.\n__global__ void scale_cuda(float* x, int n) {\n  CUDA_LOOP(i, n) x[i] *= 2;\n}\n\n"
    "void scale(at::Tensor x) {\n  TORCH_CHECK(x.is_cuda(), \"x is no CUDA tensor\");\n"
    "  at::cuda::CUDAGuard guard(x.device());\n"
    "  cudaStream_t stream = at::cuda::getCurrentCUDAStream();\n"
    "  scale_cuda<<<1, 256, 0, stream>>>(x.data_ptr<float>(), x.numel());\n}\n";
constexpr char kMusa[] =
    "#include <vector>\n#include \"torch_musa/csrc/core/MUSAGuard.h\"\n\n"
    "#define MUSA_LOOP(i, n) for (int i = threadIdx.x; i < n; i += blockDim.x)\n\n"
    "__global__ void scale_musa(float* x, int n) {\n  MUSA_LOOP(i, n) x[i] *= 2;\n}\n\n"
    "void scale(at::Tensor x) {\n"
    "  TORCH_CHECK(x.is_privateuseone(), \"x is no MUSA tensor\");\n"
    "  c10::musa::MUSAGuard guard(x.device());\n"
    "  musaStream_t stream = c10::musa::getCurrentMUSAStream();\n"
    "  scale_musa<<<1, 128, 0, stream>>>(x.data_ptr<float>(), x.numel());\n}\n";

TEST(PortChanges, SortsWhatDiffersByItsKind) {
  const PortChanges changes = PortChangesOf(PortOf(kCuda, kMusa));
  EXPECT_THAT(changes.old_headers, ElementsAre("<c10/cuda/CUDAGuard.h>"));
  EXPECT_THAT(changes.new_headers, ElementsAre("\"torch_musa/csrc/core/MUSAGuard.h\""));
  EXPECT_THAT(changes.platform, ElementsAre(Change{"at::cuda::CUDAGuard", "c10::musa::MUSAGuard"},
                                            Change{"cudaStream_t", "musaStream_t"},
                                            Change{"at::cuda::getCurrentCUDAStream",
                                                   "c10::musa::getCurrentMUSAStream"}));
  EXPECT_THAT(changes.own,
              ElementsAre(Change{"CUDA_LOOP", "MUSA_LOOP"}, Change{"scale_cuda", "scale_musa"}));
  EXPECT_EQ(changes.messages, 1);
  ASSERT_EQ(changes.others.size(), 2u);
  EXPECT_EQ(changes.others[0], (Change{"is_cuda", "is_privateuseone"}));
  // What is no name is quoted with its line.
  EXPECT_THAT(changes.others[1].old, HasSubstr("<<<1, 256, 0, stream>>>"));
  EXPECT_THAT(changes.others[1].now, HasSubstr("<<<1, 128, 0, stream>>>"));
  EXPECT_FALSE(changes.too_large);
}

TEST(PortChanges, EqualTextsAndCommentsAreNoChange) {
  EXPECT_TRUE(PortChangesOf(PortOf(kCuda, kCuda)).Empty());
  EXPECT_TRUE(PortChangesOf(PortOf("int a;  // One.\n", "/* Two. */ int a;\n")).Empty());
}

TEST(PortChanges, WholeLinesAreAddedAndLeftOut) {
  const PortChanges changes = PortChangesOf(
      PortOf("int a;\nfloat b = 1;\nint c;\n", "#if MUSA_ARCH > 21\nint a;\nint c;\n#endif\n"));
  // The #endif goes with its #if.
  EXPECT_THAT(changes.others,
              ElementsAre(Change{"", "#if MUSA_ARCH > 21"}, Change{"float b = 1;", ""}));
}

TEST(PortChanges, AnEndOfAConditionThatMovesIsNotPassedOver) {
  EXPECT_TRUE(
      PortChangesOf(PortOf("#if A\nint a;\n#endif\nint b;\n", "#if A\nint a;\nint b;\n#endif\n"))
          .too_large);
}

TEST(PortChanges, AnotherProgramIsTooLarge) {
  std::string other;
  for (int i = 0; i < 40; ++i)
    other += "int v" + std::to_string(i) + " = " + std::to_string(i) + ";\n";
  EXPECT_TRUE(PortChangesOf(PortOf("float f() { return 1; }\n", other)).too_large);
}

TEST(PortProse, TheAnswerSaysAllThatDiffersAndFollowsFromTheCode) {
  const KernelPort port = PortOf(kCuda, kMusa);
  const PortChanges changes = PortChangesOf(port);
  for (std::int64_t seed = 0; seed < 8; ++seed) {
    const TrainingRecord row = WritePortRow(DigestOf("port"), port, seed);
    EXPECT_EQ(row.family, Family::kPort);
    EXPECT_EQ(row.backend, "musa");
    ASSERT_EQ(row.messages.size(), 2u);
    EXPECT_THAT(row.messages[0].content, HasSubstr(kCuda));
    const std::string& answer = row.messages[1].content;
    EXPECT_EQ(LastFenced(answer), kMusa);
    for (const auto* list : {&changes.platform, &changes.own, &changes.others}) {
      for (const Change& change : *list) {
        EXPECT_THAT(answer, HasSubstr("`" + change.old + "`"));
        EXPECT_THAT(answer, HasSubstr("`" + change.now + "`"));
      }
    }
    EXPECT_THAT(answer, HasSubstr("PrivateUse1"));
    EXPECT_THAT(answer, Not(HasSubstr("Only names")));
    EXPECT_THAT(UnanswerableClaims(row), IsEmpty());
  }
}

TEST(PortProse, SaysWhereTheWidthOfAWarpMatters) {
  const std::string body =
      "__global__ void k(float* x) { x[0] = __shfl_down_sync(~0u, x[0], 16); }\nvoid f() { ";
  const TrainingRecord row = WritePortRow(
      DigestOf("port"), PortOf(body + "cudaFree(0); }\n", body + "musaFree(0); }\n"), 1);
  EXPECT_THAT(row.messages[1].content,
              HasSubstr("exchanges values within a warp by `__shfl_down_sync`"));
  EXPECT_THAT(row.messages[1].content, HasSubstr("Only names and headers change"));
}

}  // namespace
}  // namespace kernelmill
