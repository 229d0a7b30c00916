#include "stages/verify/build/host_constants.h"

#include <gtest/gtest.h>

#include <string>

namespace kernelmill {
namespace {

// Device code that reads an element of an array of this symbol and type.
std::string Reads(const std::string& symbol, const std::string& type = "[4 x float] [float 1.0]") {
  return "@" + symbol + " = private unnamed_addr constant " + type +
         ", align 4\ndefine void @f() {\n  %1 = getelementptr inbounds [4 x float], ptr @" + symbol +
         ", i64 0, i64 %0\n}\n";
}

std::string Found(const std::string& text) {
  return HostConstantIn(Reads("_ZL5kTaps.const"), {text});
}

TEST(HostConstants, AnArrayThatIsOnlyConstantIsTheHosts) {
  EXPECT_EQ(Found("constexpr float kTaps[4] = {1};"), "kTaps");
  EXPECT_EQ(Found("#define N 4\nstatic const float kTaps [4] = {1};"), "kTaps");
  EXPECT_EQ(Found("/*\n# Taps\n*/\nalignas(16) constexpr float kTaps[4] = {1};"), "kTaps");
  EXPECT_EQ(Found("/*\n# Taps */ constexpr float kTaps[4] = {1};"), "kTaps");
  EXPECT_EQ(HostConstantIn(Reads("kTaps"), {"inline constexpr float kTaps[4] = {1};"}), "kTaps");
  EXPECT_EQ(HostConstantIn(Reads("_ZN1aL1kE", "<{ i32, [63 x i32] }> undef"),
                           {"int f(); namespace a { constexpr int k[64] = {1}; }"}),
            "k");
  EXPECT_EQ(HostConstantIn(Reads("_ZN12_GLOBAL__N_11kE.const"),
                           {"#include \"k.h\"\n", "namespace { constexpr float k[4] = {1}; }"}),
            "k");
  EXPECT_EQ(HostConstantIn(Reads("_ZN1S1tE"), {"struct S { static constexpr float t[4] = {1}; };"}),
            "t");
}

TEST(HostConstants, ArraysOfTheDeviceAreNot) {
  for (const char* declaration : {
           "constexpr __device__ float kTaps[4] = {1};",
           "__constant__ const float kTaps[4] = {1};",
           "__constant__ __align__(16) const float kTaps[4] = {1};",
           "static __device__ alignas(16) constexpr float kTaps[4] = {1};",
           "__constant__ [[gnu::aligned(16)]] const float kTaps[4] = {1};",
           "#define TABLE __device__ const\nTABLE float kTaps[4] = {1};",
           "#define TAPS(name) __constant__ const float name[4]\nTAPS(kTaps) = {1}; "
           "void f(const float kTaps[4]) {}",
           "typedef const float Table[4]; __constant__ Table kTaps = {1}; "
           "void f(const float kTaps[4]);",
       }) {
    EXPECT_EQ(Found(declaration), "") << declaration;
  }
  // The macro, or the declaration, stands in a header.
  EXPECT_EQ(HostConstantIn(Reads("_ZL5kTaps.const"),
                           {"DEV const float kTaps[4] = {1};", "#define DEV __device__\n"}),
            "");
  EXPECT_EQ(HostConstantIn(Reads("_ZL5kTaps.const"), {"void f() { const float kTaps[2] = {1, 2}; }",
                                                      "__constant__ const float kTaps[4] = {1};"}),
            "");
}

TEST(HostConstants, OthersAreNot) {
  EXPECT_EQ(Found("const float y = x + kTaps[i];"), "");
  EXPECT_EQ(Found("void f(const float kTaps[4]);"), "");
  EXPECT_EQ(Found("#define F constexpr\n/* constexpr float kTaps[4] */"), "");
  // An example of the Programming Guide, "Constexpr variables": get(2) is a constant.
  EXPECT_EQ(Found("constexpr float kTaps[4] = {1};\n"
                  "constexpr __device__ float get(int i) { return kTaps[i]; }"),
            "");
  // One that no instruction reads, one of a function, and a scalar.
  EXPECT_EQ(HostConstantIn("@_ZN1S1tE = constant [2 x i32] [i32 1, i32 2], align 4\n",
                           {"struct S { static const int t[2]; }; const int S::t[2] = {1, 2};"}),
            "");
  EXPECT_EQ(HostConstantIn(Reads("_ZZ1kPfE4taps"),
                           {"__global__ void k(float* y) { static constexpr float taps[2] = {}; }"}),
            "");
  EXPECT_EQ(HostConstantIn(Reads("_ZL1k", "i32 3"), {"constexpr int k = 3;"}), "");
}

}  // namespace
}  // namespace kernelmill
