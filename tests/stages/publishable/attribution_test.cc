#include "stages/publishable/attribution.h"

#include <gmock/gmock.h>

#include "manifests/git_id.h"
#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Record RecordFrom(const std::vector<std::string>& urls, const LicenceEvidence& evidence) {
  Record record;
  for (const std::string& url : urls) {
    record.origins.push_back({.url = url,
                              .commit = std::string(40, 'c'),
                              .blob = std::string(40, 'b'),
                              .path = "net.py",
                              .symbol = "Net",
                              .first_line = 1,
                              .last_line = 9});
  }
  record.licences = {evidence};
  return record;
}

TEST(Attribution, NamesSourceLicenceTextAndHolders) {
  const std::string blob = GitBlobId(kMitLicence);
  Attribution attribution;
  ASSERT_TRUE(
      attribution
          .Add(RecordFrom({"https://example.org/a"}, {.spdx = "MIT",
                                                      .level = LicenceLevel::kNearestFile,
                                                      .path = "LICENSE",
                                                      .blob = blob,
                                                      .copyright = {"Copyright 2021 Head"}}))
          .ok());
  ASSERT_TRUE(attribution
                  .Add(RecordFrom({"https://example.org/b"}, {.spdx = "MIT OR GPL-2.0-only",
                                                              .level = LicenceLevel::kFileHeader,
                                                              .path = "net.py",
                                                              .blob = std::string(40, 'b'),
                                                              .chosen = "MIT"}))
                  .ok());
  EXPECT_THAT(attribution.TextBlobs(), ElementsAre(blob));
  const std::string notice = attribution.Notice({{blob, kMitLicence}});
  EXPECT_THAT(notice,
              HasSubstr("https://example.org/a (" + std::string(40, 'c') +
                        ")\n  MIT: stated by LICENSE\n    text: LICENSES/" + blob +
                        ".txt\n    Copyright (c) 2020 Somebody\n    Copyright 2021 Head\n"));
  EXPECT_THAT(notice, HasSubstr("  MIT OR GPL-2.0-only, used under MIT: stated in the head of "
                                "net.py\n    the source holds no text of it\n"));
}

TEST(Attribution, DoesNotDependOnTheOrderOfRecords) {
  const LicenceEvidence one{"MIT", LicenceLevel::kNearestFile, "LICENSE", std::string(40, 'd')};
  const std::vector<Record> records = {
      RecordFrom({"https://example.org/b"}, one), RecordFrom({"https://example.org/a"}, one),
      RecordFrom({"https://example.org/a", "https://example.org/b"}, one)};
  std::vector<std::size_t> order = {0, 1, 2};
  std::set<std::string> notices;
  do {
    Attribution attribution;
    for (const std::size_t i : order) ASSERT_TRUE(attribution.Add(records[i]).ok());
    notices.insert(attribution.Notice({}));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(notices.size(), 1u);
  EXPECT_THAT(*notices.begin(), HasSubstr("(the same code in each of them)"));
}

TEST(Attribution, ATextWithoutAGitIdIsNoPath) {
  Attribution attribution;
  const Status status =
      attribution.Add(RecordFrom({"https://example.org/a"}, {"MIT", LicenceLevel::kNearestFile,
                                                             "LICENSE", "../../../etc/passwd"}));
  EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
  EXPECT_THAT(attribution.Notice({}), Not(HasSubstr("passwd")));
}

}  // namespace
}  // namespace kernelmill
