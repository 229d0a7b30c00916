#include "generators/prompts/figure_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kSeeds = 40;  // Enough for every layout.

std::string Lines(const Verdict& verdict, int seed) {
  const Wording wording(Digest(), seed);
  SentenceWriter writer(wording, "lines");
  return FigureLines(verdict, &writer);
}

// Whether the text gives the number for the quantity: "10 registers", "registers: 10" or "|
// registers | 10 |". In the output of a tool the number is in the line of its kernel.
bool Says(const std::string& text, const std::string& number, const std::string& what) {
  const std::string pattern =
      "\\b" + number + " ?" + what + "|" + what + "[^0-9\n]*" + number + "\\b";
  return std::regex_search(text, std::regex(pattern)) ||
         (text.find(what) != text.npos &&
          std::regex_search(text, std::regex("\\na,(.*,)?" + number + "\\b")));
}

TEST(FigureLines, SayNothingOfAnotherPlatformsCompiler) {
  Verdict verdict;
  verdict.device = {.compiler = "nvrtc 13.5.37",
                    .architecture = "sm_80",
                    .kernels = {{.kernel = "a", .registers = 10}}};
  verdict.launches = {{"a", 1, 64, 0, 0.5, std::nullopt}};
  std::set<std::string> texts;
  for (int seed = 0; seed < kSeeds; ++seed) {
    verdict.device.renamed = false;
    const std::string text = Lines(verdict, seed);
    texts.insert(text);
    EXPECT_TRUE(Says(text, "10", "registers")) << text;
    EXPECT_THAT(text, HasSubstr("sm_80"));
    EXPECT_TRUE(Says(text, "50", "%")) << text;
    verdict.device.renamed = true;
    const std::string other = Lines(verdict, seed);
    EXPECT_THAT(other, Not(HasSubstr("registers")));
    EXPECT_THAT(other, Not(HasSubstr("sm_80")));
    EXPECT_TRUE(std::regex_search(other, std::regex("\\b64\\b"))) << other;
  }
  EXPECT_GT(texts.size(), 10u);
}

TEST(FigureLines, HaveEveryTrafficOfEveryKernel) {
  VerdictCounts counts;
  counts.blocks = 3;
  counts.threads = 192;
  counts.global_load_requests = 1111;
  counts.global_load_sectors = 2222;
  counts.global_store_requests = 333;
  counts.global_store_sectors = 444;
  counts.bank_conflicts = 55;
  Verdict verdict;
  verdict.launches = {{"a", 1, 64, 0, std::nullopt, counts}};
  counts.global_load_sectors = 6666;
  verdict.launches.push_back({"b", 1, 64, 0, std::nullopt, counts});
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::string text = Lines(verdict, seed);
    for (const char* number : {"1111", "2222", "333", "444", "55", "6666"}) {
      EXPECT_TRUE(std::regex_search(text, std::regex(std::string("\\b") + number + "\\b")))
          << number << " is not in\n" << text;
    }
    EXPECT_LT(text.find("2222"), text.find("6666")) << text;
  }
}

TEST(FigureLines, AreEmptyWhereNothingIsKnown) { EXPECT_EQ(Lines(Verdict(), 1), ""); }

}  // namespace
}  // namespace kernelmill
