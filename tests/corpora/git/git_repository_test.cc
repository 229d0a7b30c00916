#include "corpora/git/git_repository.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

std::map<std::string, TreeEntryKind> EntriesOf(const GitRepository& repository) {
  std::map<std::string, TreeEntryKind> entries;
  const Result<std::string> commit = repository.ResolveCommit("");
  EXPECT_TRUE(commit.ok()) << commit.status().message();
  EXPECT_TRUE(repository
                  .Walk(*commit, {},
                        [&](const TreeEntry& entry, const Status&) {
                          entries[entry.path] = entry.kind;
                          return Status::Ok();
                        })
                  .ok());
  return entries;
}

TEST(GitRepository, WalksFilesLinksAndSubmodules) {
  const GitFixture git;
  git.Write("a/b/c.py", "x = 1\n");
  git.Write("z.py", "y = 2\n");
  std::filesystem::create_symlink("z.py", git.folder() / "link.py");
  git.CommitAll();
  git.Git("update-index --add --cacheinfo 160000,0123456789012345678901234567890123456789,sub");
  git.Git("commit --quiet -m sub");
  const auto repository = GitRepository::Open((git.folder() / ".git").string());
  ASSERT_TRUE(repository.ok()) << repository.status().message();
  const std::map<std::string, TreeEntryKind> expected = {{"a/b/c.py", TreeEntryKind::kFile},
                                                         {"link.py", TreeEntryKind::kSymlink},
                                                         {"sub", TreeEntryKind::kSubmodule},
                                                         {"z.py", TreeEntryKind::kFile}};
  EXPECT_EQ(EntriesOf(*repository), expected);
}

TEST(GitRepository, StopsAtTheEntryBudget) {
  const GitFixture git;
  for (int i = 0; i < 20; ++i) git.Write(std::to_string(i) + ".py", "x");
  git.CommitAll();
  const auto repository = GitRepository::Open((git.folder() / ".git").string());
  ASSERT_TRUE(repository.ok());
  WalkLimits limits;
  limits.entries = 10;
  int seen = 0;
  const Status status = repository->Walk(*repository->ResolveCommit("HEAD"), limits,
                                         [&](const TreeEntry&, const Status&) {
                                           ++seen;
                                           return Status::Ok();
                                         });
  EXPECT_EQ(status.code(), ErrorCode::kBudget);
  EXPECT_EQ(seen, 0);
  limits.entries = 20;
  EXPECT_TRUE(repository
                  ->Walk(*repository->ResolveCommit("HEAD"), limits,
                         [&](const TreeEntry&, const Status&) {
                           ++seen;
                           return Status::Ok();
                         })
                  .ok());
  EXPECT_EQ(seen, 20);
}

TEST(GitRepository, RefusesAlternatesAndLinks) {
  const GitFixture git;
  git.Write("a.py", "x");
  git.CommitAll();
  git.Write(".git/objects/info/alternates", "/somewhere/else\n");
  EXPECT_EQ(GitRepository::Open((git.folder() / ".git").string()).status().code(),
            ErrorCode::kUsage);
}

TEST(GitRepository, RefusesReferencesThatLeadOutside) {
  const GitFixture git, other;
  for (const GitFixture* one : {&git, &other}) {
    one->Write("a.py", "x");
    one->CommitAll();
  }
  const std::filesystem::path own = git.folder() / ".git", elsewhere = other.folder() / ".git";
  const auto open = [&] { return GitRepository::Open(own.string()).status().code(); };
  const std::filesystem::path branch = own / "refs/heads/linked", head = own / "HEAD";
  std::filesystem::create_symlink(elsewhere / "refs/heads/main", branch);
  EXPECT_EQ(open(), ErrorCode::kUsage);
  std::filesystem::remove(branch);
  git.Write(".git/commondir", elsewhere.string() + "\n");
  EXPECT_EQ(open(), ErrorCode::kUsage);
  std::filesystem::remove(own / "commondir");
  for (const std::filesystem::path& target :
       {elsewhere / "HEAD", std::filesystem::path("refs/../../HEAD")}) {
    std::filesystem::remove(head);
    std::filesystem::create_symlink(target, head);
    EXPECT_EQ(open(), ErrorCode::kUsage) << target;
  }
  std::filesystem::remove(head);
  std::filesystem::create_symlink("refs/heads/main", head);
  EXPECT_EQ(open(), ErrorCode::kOk);
}

TEST(GitRepository, TellsMissingFromCorruptObjects) {
  const GitFixture git;
  git.Write("a.py", "content of a\n");
  git.CommitAll();
  const auto repository = GitRepository::Open((git.folder() / ".git").string());
  ASSERT_TRUE(repository.ok());
  EXPECT_EQ(repository->ReadBlob(std::string(40, '1')).status().code(), ErrorCode::kNotFound);
  std::string blob;
  ASSERT_TRUE(repository
                  ->Walk(*repository->ResolveCommit(""), {},
                         [&](const TreeEntry& entry, const Status&) {
                           blob = entry.id;
                           return Status::Ok();
                         })
                  .ok());
  EXPECT_EQ(*repository->ReadBlob(blob), "content of a\n");
  const auto file = git.folder() / ".git/objects" / blob.substr(0, 2) / blob.substr(2);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  std::ofstream(file) << "no zlib stream";
  EXPECT_EQ(repository->ReadBlob(blob).status().code(), ErrorCode::kCorrupt);
}

TEST(GitRepository, KnowsWhatAFetchLeftOut) {
  const GitFixture git;
  git.CommitAll();
  const std::string folder = (git.folder() / ".git").string();
  EXPECT_EQ(GitRepository::Open(folder).value().OmitsFrom(), 0);
  ASSERT_TRUE(MarkOmitted(folder, 1'048'577).ok());
  EXPECT_EQ(GitRepository::Open(folder).value().OmitsFrom(), 1'048'577);
}

TEST(GitRepository, FindsTheLastCommitBeforeATime) {
  GitFixture git;  // Its commits are all of the beginning of 2001.
  git.CommitAll();
  git.CommitAll();
  const auto repository = GitRepository::Open((git.folder() / ".git").string());
  ASSERT_TRUE(repository.ok()) << repository.status().message();
  constexpr std::int64_t kTime = 978'307'200;
  bool there = false;
  const Result<std::string> last = repository->LastCommitBefore("", kTime + 1, &there);
  ASSERT_TRUE(last.ok()) << last.status().message();
  EXPECT_EQ(*last, repository->ResolveCommit("").value());
  EXPECT_TRUE(there);
  EXPECT_EQ(repository->LastCommitBefore("", kTime, &there).status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kernelmill
