// Tests of the operations on the text of a CUDA source.
#include "parsers/cuda_attributes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace kernelmill {
namespace {

std::string OnOneLine(std::string_view text) {
  return CodeOnOneLine(WithoutAlignments(text, Alignments::kLate));
}

TEST(CudaAttributes, AlignmentsAfterASpecifierAreLeftOut) {
  EXPECT_EQ(OnOneLine("__shared__ alignas(32) half a[4];"), "__shared__ half a[4];");
  EXPECT_EQ(OnOneLine("static __shared__ /* 16 */ alignas(alignof(float4)) float a[4];"),
            "static __shared__ float a[4];");
  EXPECT_EQ(OnOneLine("volatile\nalignas (16)\nint i;"), "volatile int i;");
}

TEST(CudaAttributes, OtherAlignmentsStay) {
  for (const std::string_view text :
       {"struct alignas(16) Vector { float x[4]; };", "alignas(16) __shared__ float a[4];",
        "{ alignas(16) float a[4]; }", "const int alignas_of = 1;", "static alignas",
        "f(\"static alignas(16)\");", "static_alignas(16);"}) {
    EXPECT_EQ(WithoutAlignments(text, Alignments::kLate), text);
  }
}

TEST(CudaAttributes, AllAlignmentsAreLeftOut) {
  const auto left = [](std::string_view text) {
    return CodeOnOneLine(WithoutAlignments(text, Alignments::kAll));
  };
  EXPECT_EQ(left("struct alignas(16) V { float x[4]; };"), "struct V { float x[4]; };");
  EXPECT_EQ(left("__shared__ __align__ (alignof(float4)) float a[4];"), "__shared__ float a[4];");
  EXPECT_EQ(left("alignas(16 float a;"), "alignas(16 float a;");
}

TEST(CudaAttributes, LinesKeepTheirNumbers) {
  const std::string text = "__shared__ alignas(\n  16\n) float a[4];\nint b;";
  const std::string left = WithoutAlignments(text, Alignments::kLate);
  EXPECT_EQ(left.size(), text.size());
  EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), 3);
}

}  // namespace
}  // namespace kernelmill
