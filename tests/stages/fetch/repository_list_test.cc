#include "stages/fetch/repository_list.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(RepositoryList, ReadsRepositoriesAndRevisions) {
  const Result<std::vector<SourceSpec>> read = ReadRepositoryList(
      "# comment\n"
      "owner/name\r\n"
      "\t owner/other@feature/x # why\n"
      "https://user:p@ss@host/a/b@pkg@1.0\n"
      "git@host:a/b\n"
      "git@host:a/b#c@v1\n"
      "owner/name@HEAD\n",
      "all.txt", "2026-01-31");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 6u);
  const auto expect = [&](std::size_t at, const char* git, const char* revision,
                          const char* place) {
    EXPECT_EQ(read->at(at).git, git);
    EXPECT_EQ(read->at(at).revision, revision);
    EXPECT_EQ(read->at(at).place, place);
  };
  expect(0, "https://github.com/owner/name", "2026-01-31", "all.txt:2");
  expect(1, "https://github.com/owner/other", "feature/x", "all.txt:3");
  expect(3, "git@host:a/b", "2026-01-31", "all.txt:5");
  expect(4, "git@host:a/b#c", "v1", "all.txt:6");
  expect(5, "https://github.com/owner/name", "", "all.txt:7");
}

TEST(RepositoryList, NamesTheLineThatIsWrong) {
  const Status status = ReadRepositoryList("a/b\n\nhttps://u:s3cret@\n", "all.txt", "").status();
  EXPECT_EQ(status.code(), ErrorCode::kConfig);
  EXPECT_TRUE(status.message().starts_with("all.txt:3: ")) << status.message();
  EXPECT_EQ(status.message().find("s3cret"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace kernelmill
