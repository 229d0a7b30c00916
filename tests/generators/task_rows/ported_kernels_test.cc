#include "generators/task_rows/ported_kernels.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/generators/task_rows/generated_known_task.h"

namespace kernelmill {
namespace {

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Calls `check` for pairs of answers of equal structure for two backends.
template <typename Check>
void ForEachPair(const Check& check) {
  TaskGenerator generator({.seed = 7, .levels = {1, 2}});
  for (int i = 0; i < 60 && generator.Next(); ++i) {
    const KnownTask known = KnownTaskOf(&generator);
    for (const KnownCandidate& from : known.candidates) {
      for (const KnownCandidate& to : known.candidates) {
        if (!from.candidate.IsAnswer() || !to.candidate.IsAnswer()) continue;
        if (from.candidate.structure != to.candidate.structure) continue;
        if (from.candidate.backend != to.candidate.backend) check(from.candidate, to.candidate);
      }
    }
  }
}

TEST(PortedKernels, SayThatOnlyNamesChangeWhereNothingDependsOnAWarp) {
  std::map<PortDifference, int> pairs;
  ForEachPair([&](const Candidate& from, const Candidate& to) {
    const PortDifference difference = DifferenceOfPort(from, to);
    ++pairs[difference];
    const std::string text = PortedKernelsText(from, to, false);
    SCOPED_TRACE(text + to.code);
    const bool width = Has(to.code, "warpSize") || Has(to.code, "__shfl");
    EXPECT_EQ(difference == PortDifference::kWarpWidth, width);
    EXPECT_EQ(Has(text, "What matters here is the width of a warp"), Has(to.code, "warpSize"));
    EXPECT_EQ(Has(text, "no value is shuffled and no lane votes"), !width);
    EXPECT_EQ(Has(text, "16-bit brain float"), Has(to.code, "_bfloat16"));
    // Sentences about a loop or a function need it in the code.
    EXPECT_TRUE(!Has(text, "`block_merge`") || Has(to.code, "block_merge("));
    EXPECT_TRUE(!Has(text, "loop over `warps`") || Has(to.code, "row += warps") ||
                Has(to.code, "i += warps"));
    // Between devices of one width no wide warp is the matter.
    EXPECT_FALSE(Has(PortedKernelsText(from, to, true), "where warps are wide"));
    for (const DesignedKernel& plan : to.kernels) {
      if (!Has(text, "`warpSize` and has no number")) continue;
      EXPECT_TRUE(plan.threads % 128 != 0 ||
                  Has(text, "A block of " + std::to_string(plan.threads) + " threads has"));
    }
  });
  EXPECT_GE(pairs[PortDifference::kNames], 10);
  EXPECT_GE(pairs[PortDifference::kTypeNames], 1);
  EXPECT_GE(pairs[PortDifference::kWarpWidth], 10);
}

TEST(PortedKernels, TellsTheKernelsThatUseTheWidthFromTheOthers) {
  Candidate from, to;
  from.backend = "cuda";
  to.backend = "musa";
  to.kernels.resize(1);
  to.kernels[0].kernels = {"tile_kernel", "row_kernel"};
  to.code =
      "\n__device__ float merged(float value) {\n  return value + warpSize;\n}\n"
      "\n__global__ void __launch_bounds__(256, 2) tile_kernel(float* out) {\n  *out = 1;\n}\n"
      "\n__global__ void row_kernel(float* out) {\n  *out = merged(1);\n}\n";
  const std::string text = PortedKernelsText(from, to, false);
  EXPECT_TRUE(Has(text, "The code of `row_kernel` takes the width")) << text;
  EXPECT_TRUE(Has(text, "`tile_kernel` exchanges nothing within a warp")) << text;
}

TEST(PortedKernels, AShuffleThatNobodyCallsIsNone) {
  Candidate from, to;
  from.backend = "cuda";
  to.backend = "musa";
  to.kernels.resize(1);
  to.kernels[0].kernels = {"norm_kernel"};
  to.kernels[0].strategy = "block_of_columns";
  to.kernels[0].threads = 256;
  const std::string state =
      "struct Sum {\n  __device__ Sum shuffled(int offset) const {\n    return "
      "{__shfl_xor_sync(0xffffffff, total, offset)};\n  }\n};\n";
  to.code = state + "sum = column_merge(sum, scratch);\n";
  EXPECT_EQ(DifferenceOfPort(from, to), PortDifference::kNames);
  EXPECT_FALSE(Has(PortedKernelsText(from, to, false), "__shfl_xor_sync"));
  EXPECT_TRUE(Has(PortedKernelsText(from, to, false), "a wide one four rows"));
  to.code = state + "state.merge(state.shuffled(offset));\n";
  EXPECT_EQ(DifferenceOfPort(from, to), PortDifference::kWarpWidth);
}

// Device code that only names differ in is the same text, without the name of the 16-bit type.
TEST(PortedKernels, KernelsDifferInNamesAlone) {
  int pairs = 0;
  ForEachPair([&](const Candidate& from, const Candidate& to) {
    const auto kernels = [](std::string code) {
      const std::size_t begin = code.find("__global__");
      code = code.substr(begin, code.find("torch::Tensor", begin) - begin);
      for (const std::string_view name : {"__nv_bfloat16", "__mt_bfloat16"}) {
        for (std::size_t at = code.find(name); at != code.npos; at = code.find(name)) {
          code.replace(at, name.size(), "T");
        }
      }
      // Names of different length break lines elsewhere.
      std::erase_if(code, [](char c) { return c == ' ' || c == '\n'; });
      return code;
    };
    ++pairs;
    EXPECT_EQ(kernels(from.code), kernels(to.code));
  });
  EXPECT_GE(pairs, 20);
}

}  // namespace
}  // namespace kernelmill
