#include "generators/wording/number_format.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(NumberFormat, GroupsAndUnits) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(-123456), "-123,456");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(Binary(512), "512");
  EXPECT_EQ(Binary(1024), "1Ki");
  EXPECT_EQ(Binary(1536), "1.5Ki");
  EXPECT_EQ(Binary(INT64_MAX), "7.9Ei");
  EXPECT_EQ(Percent(1, 8), "12.5 %");
  EXPECT_EQ(Percent(1, 0), "–");
}

}  // namespace
}  // namespace kernelmill
