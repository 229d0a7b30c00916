#include "corpora/records/size_expression.h"

#include <gtest/gtest.h>

#include <random>

namespace kernelmill {
namespace {

const SymbolValues kValues = {{"s0", 2}, {"s1", 7}, {"s2", 40}};

std::string Evaluated(std::string_view text) {
  const Result<std::int64_t> value = EvaluateSize(text, kValues);
  return value.ok() ? std::to_string(*value) : "no size";
}

TEST(EvaluateSize, BindsAsPythonDoes) {
  EXPECT_EQ(Evaluated("12"), "12");
  EXPECT_EQ(Evaluated("s0*s2 + 3"), "83");
  EXPECT_EQ(Evaluated("3 + s0*s2"), "83");
  EXPECT_EQ(Evaluated("(3 + s0)*s2"), "200");
  EXPECT_EQ(Evaluated("s2 - s1 - s0"), "31");
  EXPECT_EQ(Evaluated("s2//s1*s1"), "35");
  EXPECT_EQ(Evaluated("s2 % s1 + 1"), "6");
  EXPECT_EQ(Evaluated("max(s0, min(s1, 5))*2"), "10");
  EXPECT_EQ(Evaluated("max((s0), (s1 - 1)//2 + 1)"), "4");
}

TEST(EvaluateSize, DividesDownwards) {
  EXPECT_EQ(Evaluated("(0 - s1)//2"), "-4");
  EXPECT_EQ(Evaluated("(0 - s1) % 4"), "1");
  EXPECT_EQ(Evaluated("(s0 - 9)//(0 - 2)"), "3");
}

TEST(EvaluateSize, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "s9",
                           "1 2",
                           "s0 s1",
                           "s0 +",
                           "* 2",
                           "(s0",
                           "s0)",
                           "()",
                           "s0/2",
                           "s0//0",
                           "s0 % 0",
                           "max(s0)",
                           "max(s0, s1, s2)",
                           "max s0",
                           "(s0, s1)",
                           "s0,",
                           "-3",
                           "1.5",
                           "s0**2",
                           "2s0",
                           "9223372036854775808",
                           "9223372036854775807 + 1",
                           "s2*9223372036854775807",
                           "max(,)",
                           "__import__('os')",
                           "s0;s1",
                           "max((s0, s1), 2)"}) {
    EXPECT_EQ(Evaluated(text), "no size") << text;
  }
}

TEST(EvaluateSize, TakesAnyDepthAndAnyBytes) {
  std::string deep(2000, '(');
  deep += "s1" + std::string(2000, ')');
  EXPECT_EQ(Evaluated(deep), "7");
  std::mt19937 random(7);
  constexpr std::string_view kAlphabet = "s012+-*/%(), maxin\x80";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t j = random() % 24; j > 0; --j) text += kAlphabet[random() % kAlphabet.size()];
    (void)EvaluateSize(text, kValues);  // It returns; errors do not matter.
  }
}

TEST(RenameSymbols, TouchesWholeNamesOnly) {
  EXPECT_EQ(RenameSymbols("s1*s10 + max(s1, 3)", {{"s1", "H"}}), "H*s10 + max(H, 3)");
}

}  // namespace
}  // namespace kernelmill
