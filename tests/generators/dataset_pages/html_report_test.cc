#include "generators/dataset_pages/html_report.h"

#include <gmock/gmock.h>

#include "tests/generators/described_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

// tests/generators/golden_pages_test.py reads these pages with independent parsers.
TEST(HtmlReport, AreTheGoldenOnes) {
  ExpectGolden("report.html", WriteHtmlReport(Ordinary()));
  ExpectGolden("report_hostile.html", WriteHtmlReport(Hostile()));
  ExpectGolden("report_empty.html", WriteHtmlReport({}));
}

TEST(HtmlReport, ReferencesNothingAndRunsNothing) {
  for (const std::string& report : {WriteHtmlReport(Ordinary()), WriteHtmlReport(Hostile())}) {
    for (const char* bad : {"<script", "src=", "href=", "url(", "@import", "<iframe", "<img",
                            "\x1b", "\xe2\x80\xae"}) {
      EXPECT_THAT(report, Not(HasSubstr(bad))) << bad;
    }
    EXPECT_LT(report.size(), 100'000u);
  }
}

TEST(HtmlReport, SaysWhatTheDatasetHolds) {
  const std::string report = WriteHtmlReport(Ordinary());
  for (const char* fact :
       {"unsafe_import", "1,100", "it imports or reaches something outside", "bfloat16", "matmul",
        "Apache-2.0", "pkg:pypi/b@1.0", "none found", "tokens, estimated"}) {
    EXPECT_THAT(report, HasSubstr(fact));
  }
}

}  // namespace
}  // namespace kernelmill
