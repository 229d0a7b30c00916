#include "generators/reasoning/value_style.h"

#include <gmock/gmock.h>

#include <set>

namespace kernelmill {
namespace {

using testing::UnorderedElementsAre;

TEST(ValueStyle, WritesTheSameValueInSeveralWays) {
  std::set<std::string> shapes, counts, bytes, few;
  for (int seed = 0; seed < 60; ++seed) {
    const Wording wording(Digest(), seed);
    const ValueStyle style(wording);
    shapes.insert(style.Shape({2, 64}));
    counts.insert(style.Count(18816));
    bytes.insert(style.Bytes(1536000));
    few.insert(style.Bytes(2400));
    EXPECT_EQ(style.Shape({}), "()");
  }
  EXPECT_THAT(shapes, UnorderedElementsAre("(2, 64)", "[2, 64]", "2×64"));
  EXPECT_THAT(counts, UnorderedElementsAre("18,816"));
  EXPECT_THAT(bytes, UnorderedElementsAre("1.54 MB", "1,536,000 bytes"));
  EXPECT_THAT(few, UnorderedElementsAre("2400 bytes"));
}

}  // namespace
}  // namespace kernelmill
