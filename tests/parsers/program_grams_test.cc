#include "parsers/program_grams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kernelmill {
namespace {

using testing::ElementsAre;

std::vector<std::string> TokensOf(ProgramLanguage language, std::string_view text) {
  std::vector<std::string> tokens;
  ForEachProgramToken(language, text,
                      [&](const ProgramToken& token) { tokens.emplace_back(token.text); });
  return tokens;
}
std::vector<std::string> Python(std::string_view text) {
  return TokensOf(ProgramLanguage::kPython, text);
}
std::vector<std::string> Native(std::string_view text) {
  return TokensOf(ProgramLanguage::kNative, text);
}

TEST(ProgramTokensTest, SplitsPython) {
  EXPECT_THAT(Python("x_1 = f('a b', 1.5e-3)**2  # note\n"),
              ElementsAre("x_1", "=", "f", "(", "'a b'", ",", "1.5e-3", ")", "**", "2"));
  EXPECT_THAT(Python("a = b \\\n  // c"), ElementsAre("a", "=", "b", "//", "c"));
  EXPECT_THAT(Python("rb'\\'' f\"{x}\" name"), ElementsAre("rb'\\''", "f\"{x}\"", "name"));
}

TEST(ProgramTokensTest, LeavesDocstringsOut) {
  EXPECT_THAT(Python("def f():\n  \"\"\"Says 'what' it does.\n  \"\"\"\n  return 1"),
              ElementsAre("def", "f", "(", ")", ":", "return", "1"));
  EXPECT_THAT(Python("r'''doc'''\nx"), ElementsAre("x"));
}

TEST(ProgramTokensTest, SplitsNativeCodeInStringsOfPython) {
  EXPECT_THAT(Python("cuda = r\"\"\"\n__global__ void f(int* p) { p[0] = 1; } // note\n\"\"\"\ny"),
              ElementsAre("cuda", "=", "__global__", "void", "f", "(", "int", "*", "p", ")", "{",
                          "p", "[", "0", "]", "=", "1", ";", "}", "y"));
  EXPECT_THAT(Python("load(name='a',\n  cpp_sources='''int f();''')"),
              ElementsAre("load", "(", "name", "=", "'a'", ",", "cpp_sources", "=", "int", "f",
                          "(", ")", ";", ")"));
}

TEST(ProgramTokensTest, SplitsNativeCode) {
  EXPECT_THAT(Native("k<<<g, 256>>>(a->b, 1'000, 0x1F-1); /* note */ #include \"a.h\" // end"),
              ElementsAre("k", "<<<", "g", ",", "256", ">>>", "(", "a", "->", "b", ",", "1'000",
                          ",", "0x1F", "-", "1", ")", ";", "#", "include", "\"a.h\""));
  EXPECT_THAT(Native("R\"x(a \" )\" b)x\" c 'q' L\"w\""),
              ElementsAre("R\"x(a \" )\" b)x\"", "c", "'q'", "L\"w\""));
}

TEST(ProgramTokensTest, EveryTextEnds) {
  const std::string_view pieces[] = {"'", "\"\"\"", "/*", "\\", "R\"(", "'''", "(", "#", "1'", "\n",
                                     ".", "0x", "e+", "name", "\"", "\x80"};
  for (const std::string_view a : pieces) {
    for (const std::string_view b : pieces) {
      for (const std::string_view c : pieces) {
        const std::string text = std::string(a) + std::string(b) + std::string(c);
        for (const auto language : {ProgramLanguage::kPython, ProgramLanguage::kNative}) {
          std::size_t bytes = 0;
          ForEachProgramToken(language, text, [&](const ProgramToken& token) {
            EXPECT_FALSE(token.text.empty()) << text;
            bytes += token.text.size();
          });
          EXPECT_LE(bytes, text.size()) << text;
        }
      }
    }
  }
}

constexpr char kProgram[] = R"(
class Model(nn.Module):
    """Adds."""
    def forward(self, x):
        return torch.add(x, 1.5)  # of both
)";

TEST(ProgramGramsTest, FormattingAndCommentsDoNotCount) {
  const std::string other =
      "class Model(  nn.Module ) :\n  # Adds.\n  def forward(\n      self,x) :\n"
      "     return torch . add( x,\n 1.5 )";
  const auto grams = ProgramGrams(ProgramLanguage::kPython, kProgram);
  EXPECT_EQ(grams, ProgramGrams(ProgramLanguage::kPython, other));
  EXPECT_TRUE(std::is_sorted(grams.begin(), grams.end()));
  EXPECT_EQ(grams.size(), Python(kProgram).size() - 4);
}

TEST(ProgramGramsTest, OneTokenChangesFiveGrams) {
  std::string other = kProgram;
  other.replace(other.find("add"), 3, "sub");
  const auto one = ProgramGrams(ProgramLanguage::kPython, kProgram);
  const auto two = ProgramGrams(ProgramLanguage::kPython, other);
  std::vector<std::uint64_t> shared;
  std::set_intersection(one.begin(), one.end(), two.begin(), two.end(), std::back_inserter(shared));
  EXPECT_EQ(shared.size(), one.size() - 5);
}

TEST(ProgramGramsTest, ShortTextsHaveOneGram) {
  EXPECT_EQ(ProgramGrams(ProgramLanguage::kNative, "a b").size(), 1);
  EXPECT_NE(ProgramGrams(ProgramLanguage::kNative, "a b"),
            ProgramGrams(ProgramLanguage::kNative, "b a"));
  EXPECT_TRUE(ProgramGrams(ProgramLanguage::kNative, " // only a comment").empty());
}

// The hashes are stored in files, so they must never change.
TEST(ProgramGramsTest, HashesStayTheSame) {
  EXPECT_THAT(ProgramGrams(ProgramLanguage::kPython, "a = b + c"),
              ElementsAre(7744187962286808564u));
}

}  // namespace
}  // namespace kernelmill
