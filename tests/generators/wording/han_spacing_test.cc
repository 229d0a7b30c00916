#include "generators/wording/han_spacing.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(HanSpacing, SeparatesHanFromLatinTextAndCode) {
  EXPECT_EQ(WithSpacesAroundLatin("将`Model`转换为MUSA核函数"), "将 `Model` 转换为 MUSA 核函数");
  EXPECT_EQ(WithSpacesAroundLatin("误差不超过1e-4以内"), "误差不超过 1e-4 以内");
  EXPECT_EQ(WithSpacesAroundLatin("12 字节 是由"), "12 字节是由");
}

TEST(HanSpacing, LeavesPunctuationSpacesAndCodeAlone) {
  for (const char* const text : {"输入：`x`（形状 (2, 3)）。", "与 `Model` 相比，",
                                 "plain `code` and text", "`# 把x加一`", "", "a\n\n把 b\n"}) {
    EXPECT_EQ(WithSpacesAroundLatin(text), text);
  }
  EXPECT_EQ(WithSpacesAroundLatin("把x\n```python\n# 把x加\n```\n把y\n"),
            "把 x\n```python\n# 把x加\n```\n把 y\n");
}

}  // namespace
}  // namespace kernelmill
