#include "stages/render/split.h"

#include <gtest/gtest.h>

#include "manifests/digest.h"

namespace kernelmill {
namespace {

Origin FileOf(int number, const std::string& url = "https://example.org/a") {
  return {.url = url,
          .commit = std::string(40, 'c'),
          .blob = DigestOf(std::to_string(number)).Hex().substr(0, 40),
          .path = "net.py",
          .symbol = "Net",
          .first_line = number,
          .last_line = number};
}

TEST(Split, GivesTheShareThatIsAskedFor) {
  constexpr int kFiles = 20'000;
  int validation = 0;
  for (int i = 0; i < kFiles; ++i) validation += SplitOf({FileOf(i)}, "salt", 0.1) == "validation";
  // Five standard deviations of 20,000 draws are 0.0106.
  EXPECT_NEAR(validation / double{kFiles}, 0.1, 0.0106);
  EXPECT_EQ(SplitOf({FileOf(1)}, "salt", 0), "train");
  EXPECT_EQ(SplitOf({FileOf(1)}, "salt", 1), "validation");
}

TEST(Split, AFileKeepsItsSide) {
  int moved_by_salt = 0;
  for (int i = 0; i < 500; ++i) {
    const Origin here = FileOf(i);
    Origin there = FileOf(i, "https://example.org/z");
    there.commit = std::string(40, 'd');
    there.path = "other.py";
    there.first_line = 700;
    const std::string side = SplitOf({here}, "salt", 0.3);
    EXPECT_EQ(SplitOf({there}, "salt", 0.3), side);
    EXPECT_EQ(SplitOf({here, there}, "salt", 0.3), side);
    // A larger share takes files from training and gives none back.
    if (side == "validation") {
      EXPECT_EQ(SplitOf({here}, "salt", 0.4), side);
    }
    moved_by_salt += SplitOf({here}, "pepper", 0.3) != side;
  }
  EXPECT_GT(moved_by_salt, 100);
}

TEST(Split, OfSeveralFilesTheFirstBlobDecidesInAnyOrder) {
  for (int i = 0; i < 200; ++i) {
    const Origin a = FileOf(i), b = FileOf(i + 1000);
    const Origin& first = a.blob < b.blob ? a : b;
    EXPECT_EQ(SplitOf({a, b}, "salt", 0.5), SplitOf({first}, "salt", 0.5));
    EXPECT_EQ(SplitOf({b, a}, "salt", 0.5), SplitOf({first}, "salt", 0.5));
  }
}

}  // namespace
}  // namespace kernelmill
