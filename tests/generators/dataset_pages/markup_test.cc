#include "generators/dataset_pages/markup.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(Markup, OrdinaryNamesStayReadable) {
  for (const char* name :
       {"pkg:pypi/vit-pytorch@1.26.11", "net/layer_norm.py", "aten.add", "Ä→中"}) {
    EXPECT_EQ(HtmlText(name), name);
    EXPECT_EQ(MarkdownText(name), name);
  }
}

TEST(Markup, NothingEndsATagACellOrALine) {
  EXPECT_EQ(HtmlText("<a b=\"c\" d='e'>&\n"),
            "&#60;a b=&#34;c&#34; d=&#39;e&#39;&#62;&#38;\\u000a");
  EXPECT_EQ(MarkdownText("a|b`c`*d*[e](f)"),
            "a&#124;b&#96;c&#96;&#42;d&#42;&#91;e&#93;&#40;f&#41;");
  EXPECT_EQ(MarkdownText("__init__"), "&#95;&#95;init&#95;&#95;");
  EXPECT_EQ(YamlText("a\"\n---"), R"("a\"\\u000a---")");
}

TEST(Markup, Numbers) {
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
