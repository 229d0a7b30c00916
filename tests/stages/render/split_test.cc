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

std::string SideOf(const std::vector<Origin>& origins, const std::string& salt, double share) {
  Record subject;
  subject.origins = origins;
  return SplitOf(subject, salt, share);
}

TEST(Split, GivesTheShareThatIsAskedFor) {
  constexpr int kFiles = 20'000;
  int validation = 0;
  for (int i = 0; i < kFiles; ++i) validation += SideOf({FileOf(i)}, "salt", 0.1) == "validation";
  // Five standard deviations of 20,000 draws are 0.0106.
  EXPECT_NEAR(validation / double{kFiles}, 0.1, 0.0106);
  EXPECT_EQ(SideOf({FileOf(1)}, "salt", 0), "train");
  EXPECT_EQ(SideOf({FileOf(1)}, "salt", 1), "validation");
}

TEST(Split, AFileKeepsItsSide) {
  int moved_by_salt = 0;
  for (int i = 0; i < 500; ++i) {
    const Origin here = FileOf(i);
    Origin there = FileOf(i, "https://example.org/z");
    there.commit = std::string(40, 'd');
    there.path = "other.py";
    there.first_line = 700;
    const std::string side = SideOf({here}, "salt", 0.3);
    EXPECT_EQ(SideOf({there}, "salt", 0.3), side);
    EXPECT_EQ(SideOf({here, there}, "salt", 0.3), side);
    // A larger validation share only moves files out of training.
    if (side == "validation") {
      EXPECT_EQ(SideOf({here}, "salt", 0.4), side);
    }
    moved_by_salt += SideOf({here}, "pepper", 0.3) != side;
  }
  EXPECT_GT(moved_by_salt, 100);
}

TEST(Split, OfSeveralFilesTheFirstBlobDecidesInAnyOrder) {
  for (int i = 0; i < 200; ++i) {
    const Origin a = FileOf(i), b = FileOf(i + 1000);
    const Origin& first = a.blob < b.blob ? a : b;
    EXPECT_EQ(SideOf({a, b}, "salt", 0.5), SideOf({first}, "salt", 0.5));
    EXPECT_EQ(SideOf({b, a}, "salt", 0.5), SideOf({first}, "salt", 0.5));
  }
}

TEST(Split, OneGraphAtOtherSizesFallsOnOneSide) {
  int validation = 0;
  for (int i = 0; i < 500; ++i) {
    Record subject;
    subject.origins = {Origin{}};
    subject.origins[0].generator = 1;
    subject.origins[0].index = i;
    subject.attributes["pattern"] = DigestOf(std::to_string(i / 2)).Hex();
    Record twin = subject;
    twin.origins[0].index = i + 1000;
    EXPECT_EQ(SplitOf(subject, "salt", 0.3), SplitOf(twin, "salt", 0.3));
    validation += SplitOf(subject, "salt", 0.3) == "validation";
  }
  EXPECT_GT(validation, 100);
  EXPECT_LT(validation, 200);
}

}  // namespace
}  // namespace kernelmill
