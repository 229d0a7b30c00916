#include "generators/lowering/sizes/size_text.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

// An image at several sizes, the module's own first, and an unrelated width.
const std::vector<KnownSize> kSizes = {{"x.size(0)", {2, 2, 2, 2}},
                                       {"x.size(1)", {64, 61, 64, 64}},
                                       {"x.size(2)", {32, 29, 29, 32}},
                                       {"x.size(3)", {40, 37, 40, 37}}};

std::string Text(const SizeSamples& wanted) {
  return SizeText(kSizes, wanted).value_or("nothing");
}

TEST(SizeTextTest, FindsTheSimplestExpression) {
  EXPECT_EQ(Text({7, 7, 7, 7}), "7");
  EXPECT_EQ(Text({64, 61, 64, 64}), "x.size(1)");
  EXPECT_EQ(Text({128, 122, 128, 128}), "x.size(1) * 2");
  EXPECT_EQ(Text({16, 14, 14, 16}), "x.size(2) // 2");
  EXPECT_EQ(Text({1280, 1073, 1160, 1184}), "x.size(2) * x.size(3)");
  EXPECT_EQ(Text({33, 30, 30, 33}), "x.size(2) + 1");
  EXPECT_EQ(Text({39, 36, 39, 36}), "x.size(3) - 1");
}

TEST(SizeTextTest, FindsStepsOfWindows) {
  EXPECT_EQ(Text({0, 3, 0, 3}), "(4 - x.size(3) % 4) % 4");
  EXPECT_EQ(Text({2, 5, 2, 5}), "(6 - x.size(3) % 6) % 6");
  EXPECT_EQ(Text({0, 1, 1, 0}), "x.size(2) % 2");
  // Patches of four in both directions.
  EXPECT_EQ(Text({80, 63, 70, 72}), "(x.size(2) // 4) * (x.size(3) // 4)");
}

// With two samples, an unrelated expression could fit by chance.
TEST(SizeTextTest, WantsMoreSizesForMoreThanAProduct) {
  const std::vector<KnownSize> known = {{"x.size(0)", {32, 29}}};
  EXPECT_FALSE(SizeText(known, {0, 1}).has_value());
  EXPECT_EQ(SizeText(known, {16, 14}), "x.size(0) // 2");
}

// n * m // (m + 1) equals n - 1 if n is smaller than m.
TEST(SizeTextTest, TakesADifferenceBeforeAPartOfAProduct) {
  const std::vector<KnownSize> known = {{"h.size(0)", {256, 244, 256}},
                                        {"x.size(2)", {4096, 4093, 4093}}};
  EXPECT_EQ(SizeText(known, {255, 243, 255}), "h.size(0) - 1");
}

TEST(SizeTextTest, SaysNothingOfWhatNoSizeExplains) { EXPECT_EQ(Text({5, 91, 3, 17}), "nothing"); }

}  // namespace
}  // namespace kernelmill
