#include "generators/dataset_pages/dataset_card.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "generators/dataset_pages/html_report.h"
#include "tests/generators/described_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

// The number of lines that begin with `start`, which only Markdown structure may do.
int LinesStarting(const std::string& text, const std::string& start) {
  int count = text.starts_with(start) ? 1 : 0;
  for (std::size_t at = text.find("\n" + start); at != std::string::npos;
       at = text.find("\n" + start, at + 1)) {
    ++count;
  }
  return count;
}

TEST(DatasetCard, AreTheGoldenOnes) {
  ExpectGolden("dataset_card.md", WriteDatasetCard(Ordinary()));
  ExpectGolden("dataset_card_hostile.md", WriteDatasetCard(Hostile()));
}

TEST(DatasetCard, HostileNamesAddNoStructure) {
  const std::string card = WriteDatasetCard(Hostile());
  for (const char* bad :
       {"<script", "</td>", "<!--", "\x1b", "\xe2\x80\xae", "\xc2\x9b", "](", "$x$"}) {
    EXPECT_THAT(card, Not(HasSubstr(bad))) << bad;
  }
  EXPECT_EQ(LinesStarting(card, "---"), 2);
  EXPECT_EQ(LinesStarting(card, "license:"), 1);
  EXPECT_EQ(LinesStarting(card, "## "), LinesStarting(WriteDatasetCard(Ordinary()), "## "));
  EXPECT_LT(card.size(), 20'000u);
  // Every row of a table has as many cells as its header.
  std::size_t pipes = 0;
  std::istringstream lines(card);
  for (std::string line; std::getline(lines, line);) {
    const auto here = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
    if (pipes != 0 && here != 0) {
      EXPECT_EQ(here, pipes) << line;
    }
    pipes = here;
  }
}

TEST(DatasetCard, NamesTheProblemsThatMostTasksAreClosestTo) {
  DatasetDescription description = Ordinary();
  description.statistics.benchmark_overlaps["T2"] = 9;
  DatasetDescription::Step admit{.name = "admit"};
  for (int i = 1; i <= 7; ++i) {
    admit.counts.counters["benchmark_problem.T2.exam/level1/" + std::to_string(i) + "_a|b"] = i;
  }
  admit.counts.counters["benchmark_problem.T3.exam/level2/1"] = 1200;
  admit.counts.counters["benchmark_problem.T1.exam/level3/1"] = 1;
  admit.counts.counters["benchmark.T2.exam"] = 28;
  description.steps.push_back(admit);
  const std::string card = WriteDatasetCard(description);
  EXPECT_THAT(card, HasSubstr("| T2 | exam/level1/7_a&#124;b | 7 |\n| T2 | exam/level1/6_a"));
  EXPECT_THAT(card, HasSubstr("| T2 | exam/level1/3_a&#124;b | 3 |\n"
                              "| T3 | exam/level2/1 | 1,200 |"));
  EXPECT_THAT(card, HasSubstr("`counts.admit.counters`"));
  EXPECT_THAT(card, Not(HasSubstr("exam/level3")));
  // The report does not list hundreds of problems in a cell.
  const std::string report = WriteHtmlReport(description);
  EXPECT_THAT(report, HasSubstr("benchmark.T2.exam"));
  EXPECT_THAT(report, Not(HasSubstr("benchmark_problem")));
}

TEST(DatasetCard, AnEmptyDatasetHasOneToo) {
  const std::string card = WriteDatasetCard({});
  EXPECT_THAT(card, HasSubstr("- unknown\n"));
  EXPECT_THAT(card, Not(HasSubstr("configs:")));
  EXPECT_THAT(card, HasSubstr("0 rows"));
}

}  // namespace
}  // namespace kernelmill
