#include "stages/verify/build/host_constants.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

constexpr char kCode[] =
    "@_ZL5kTaps.const = private unnamed_addr constant [4 x float] [float 1.0], align 4\n";

TEST(HostConstants, AnArrayThatIsOnlyConstantIsTheHosts) {
  EXPECT_EQ(HostConstantIn(kCode, {"constexpr float kTaps[4] = {1};"}), "kTaps");
  EXPECT_EQ(HostConstantIn(kCode, {"#define N 4\nstatic const float kTaps [N] = {1};"}), "kTaps");
  EXPECT_EQ(HostConstantIn("@_ZN1aL1kE = internal constant [2 x i32] [i32 1, i32 2], align 4\n",
                           {"int f(); namespace a { constexpr int k[2] = {1, 2}; }"}),
            "k");
  EXPECT_EQ(HostConstantIn("@_ZN12_GLOBAL__N_11kE.const = private constant [2 x i32] zeroinitializer\n"
                           "@_ZN1S1tE.const = private unnamed_addr constant [2 x i32] undef\n",
                           {"struct S { static constexpr int t[2] = {1, 2}; };"}),
            "t");
}

TEST(HostConstants, OthersAreNot) {
  // Of the device; by a macro, which may place it there; declared in a header; and in a function.
  EXPECT_EQ(HostConstantIn(kCode, {"constexpr __device__ float kTaps[4] = {1};"}), "");
  EXPECT_EQ(HostConstantIn(kCode, {"__constant__ const float kTaps[4] = {1};"}), "");
  EXPECT_EQ(HostConstantIn(kCode, {"#define TABLE __device__ const\nTABLE float kTaps[4] = {1};",
                                   "const float y = x * kTaps[1];"}),
            "");
  EXPECT_EQ(HostConstantIn(kCode, {"const float y = x + kTaps[i];", "const int i[2] = {};"}), "");
  EXPECT_EQ(HostConstantIn("@_ZZ1kPfE4taps = internal constant [2 x float] zeroinitializer\n",
                           {"__global__ void k(float* y) { static constexpr float taps[2] = {}; }"}),
            "");
  // The values of scalars, and of structures, may be used.
  EXPECT_EQ(HostConstantIn("@_ZL1k = internal constant i32 3, align 4\n", {"constexpr int k = 3;"}),
            "");
}

}  // namespace
}  // namespace kernelmill
