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

}  // namespace
}  // namespace kernelmill
