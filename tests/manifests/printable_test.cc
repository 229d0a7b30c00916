#include "manifests/printable.h"

#include <gtest/gtest.h>

#include "manifests/json.h"

namespace kernelmill {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
  const std::string text = "def f(x):\n\treturn x → 🎉 Ä 中\n";
  EXPECT_EQ(Printable(text), text);
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("a\x1b[2J\rb\x7f"), "a\\u001b[2J\\u000db\\u007f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(Printable("user\xe2\x80\xae"
                      "cod.exe\xe2\x81\xa6"),
            "user\\u202ecod.exe\\u2066");
  EXPECT_EQ(Printable("\xf3\xa0\x81\x81"), "\\udb40\\udc41");
}

TEST(Printable, ReplacesWhatIsNotUtf8) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(Printable("\xff"), bad);
  EXPECT_EQ(Printable("\xc0\xaf"), bad + bad);
  EXPECT_EQ(Printable("\xed\xa0\x80"), bad + bad + bad);
  EXPECT_EQ(Printable("\xe2\x82"), bad + bad);
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), bad + bad + bad + bad);
}

TEST(Printable, AJsonDocumentStaysTheSameDocument) {
  const Json document =
      Json::Object{{"name", "\x1b]0;x\x07\xe2\x80\xae\x7f\n\xf3\xa0\x81\x81"}, {"n", 1}};
  const Result<Json> read = Json::Parse(Printable(document.Pretty()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, document);
}

TEST(PrintableLine, IsOneLineOfBoundedLength) {
  EXPECT_EQ(PrintableLine("a\nb\tc"), "a\\u000ab\\u0009c");
  EXPECT_EQ(PrintableLine("äöü", 4), "äö…");
  EXPECT_EQ(PrintableLine("äöü", 6), "äöü");
  EXPECT_LT(PrintableLine(std::string(1 << 20, 'x'), 100).size(), 110u);
}

}  // namespace
}  // namespace kernelmill
