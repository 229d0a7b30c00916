#include "parsers/cuda_lane_stride.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

using Kind = LaneStride::Kind;

constexpr char kCode[] = R"cuda(template <int kWidth>
__global__ void f(const float* x, float* y, const float* moved, const int* rows, int n, int c, int z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = static_cast<int>(threadIdx.x) * kWidth + blockIdx.x;
  int changed = threadIdx.x;
  if (n > 3) changed += 2;
  int q = i / c;
  int row = rows[i];
  z = x[0];
  moved += i * 3;
  for (int t = 0; t < 3; ++t) y[i * 3 + t] = x[row * c + t] + moved[t];
  for (int s = threadIdx.x; s < n; s += blockDim.x) y[s] = x[q] + x[z];
}
)cuda";

class LaneStrideTest : public testing::Test {
 protected:
  LaneStride Of(const std::string& expression) const {
    return LaneStrides(*facts_, kCode).Of(expression);
  }
  LaneStride OfAccess(const std::string& array, const std::string& text) const {
    return LaneStrides(*facts_, kCode).OfAccess({array, text, false, 1});
  }
  const std::optional<KernelFacts> facts_ = ReadKernelFacts(kCode, "f", 1);
};

TEST_F(LaneStrideTest, SumsAndProductsOfIndices) {
  ASSERT_TRUE(facts_);
  EXPECT_EQ(Of("i"), (LaneStride{Kind::kConstant, "1"}));
  EXPECT_EQ(Of("3 * i + 2"), (LaneStride{Kind::kConstant, "3"}));
  EXPECT_EQ(Of("(i + 1) * 2 + i"), (LaneStride{Kind::kConstant, "3"}));
  EXPECT_EQ(Of("i - threadIdx.x").kind, Kind::kUniform);
  EXPECT_EQ(Of("j * n + i"), (LaneStride{Kind::kConstant, "1"}));
  EXPECT_EQ(Of("i * c"), (LaneStride{Kind::kConstant, "c"}));
  EXPECT_EQ(Of("(int64_t)i * 4"), (LaneStride{Kind::kConstant, "4"}));
  EXPECT_EQ(Of("k"), (LaneStride{Kind::kConstant, "kWidth"}));
  EXPECT_EQ(Of("j").kind, Kind::kUniform);
  EXPECT_EQ(Of("n / 2 + blockIdx.x % 7").kind, Kind::kUniform);
}

TEST_F(LaneStrideTest, WhatTheTextDoesNotTellIsNotGuessed) {
  for (const char* const unknown : {"q", "i % c", "changed", "f(i)", "other", "i *", "i * j * q"}) {
    EXPECT_EQ(Of(unknown).kind, Kind::kUnknown) << unknown;
  }
  EXPECT_EQ(Of("rows[j]").kind, Kind::kUniform);
  EXPECT_EQ(Of("rows[j] + i"), (LaneStride{Kind::kConstant, "1"}));
  EXPECT_EQ(Of("row * c").kind, Kind::kFromData);
  EXPECT_EQ(Of("rows[i]").kind, Kind::kFromData);
}

TEST_F(LaneStrideTest, AccessesIncludeWhatWasAddedToThePointer) {
  EXPECT_EQ(OfAccess("y", "y[i * 3 + t]"), (LaneStride{Kind::kConstant, "3"}));
  EXPECT_EQ(OfAccess("y", "y[s]"), (LaneStride{Kind::kConstant, "1"}));
  EXPECT_EQ(OfAccess("moved", "moved[t]"), (LaneStride{Kind::kConstant, "3"}));
  EXPECT_EQ(OfAccess("local", "local[i]").kind, Kind::kUnknown);
}

}  // namespace
}  // namespace kernelmill
