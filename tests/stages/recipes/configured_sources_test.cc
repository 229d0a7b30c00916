#include "stages/recipes/configured_sources.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

using EngineRun = Run;  // testing::Test has a Run() too.

// A run that is resumed after the remote's branch has moved continues with the commit that it began
// with, from the folder of fetched repositories or, if that is gone, from the remote.
TEST(ConfiguredSources, AResumedRunKeepsTheCommitOfAURL) {
  GitFixture git;
  git.Write("net.py", "x = 1\n");
  git.CommitAll();
  const std::string folder = testing::TempDir() + "/configured_sources_test";
  std::filesystem::remove_all(folder);
  const std::string cache = folder + "/cache", output = folder + "/out";
  SourceSpec spec = {.git = "file://" + git.folder().string(), .revision = "main", .url = ""};

  const Result<ResolvedSource> began = Resolve(spec, cache);
  ASSERT_TRUE(began.ok()) << began.status().message();
  Result<EngineRun> run = EngineRun::Open({.output = output});
  ASSERT_TRUE(run.ok()) << run.status().message();
  Result<HeldCommits> held = HeldCommitsOf(output);
  ASSERT_TRUE(held.ok()) << held.status().message();
  EXPECT_TRUE(held->empty());
  ASSERT_TRUE(HoldSources(*run, {.repositories = {*began}}).ok());

  git.Write("net.py", "x = 2\n");
  git.CommitAll();
  held = HeldCommitsOf(output);
  ASSERT_TRUE(held.ok()) << held.status().message();
  ASSERT_TRUE(held->contains(spec.CacheName()));
  for (const bool cached : {true, false}) {
    if (!cached) std::filesystem::remove_all(cache);
    spec.commit = held->at(spec.CacheName());
    const Result<ResolvedSource> resumed = Resolve(spec, cache);
    ASSERT_TRUE(resumed.ok()) << resumed.status().message();
    EXPECT_EQ(resumed->commit, began->commit);
    EXPECT_TRUE(HoldSources(*run, {.repositories = {*resumed}}).ok());
  }

  // Another run takes the branch as it is now, and a run of another revision is another run.
  spec.commit = "";
  const Result<ResolvedSource> now = Resolve(spec, cache);
  ASSERT_TRUE(now.ok()) << now.status().message();
  EXPECT_NE(now->commit, began->commit);
  EXPECT_EQ(HoldSources(*run, {.repositories = {*now}}).code(), ErrorCode::kPlanChanged);
  spec.revision = "";
  EXPECT_FALSE(held->contains(spec.CacheName()));
  ASSERT_TRUE(run->RemoveSteps().ok());
  held = HeldCommitsOf(output);
  ASSERT_TRUE(held.ok()) << held.status().message();
  EXPECT_TRUE(held->empty());
}

// A commit that the remote never had, or has no longer, leaves the choice to the revision.
TEST(ConfiguredSources, AHeldCommitThatIsGoneIsNotInsistedOn) {
  GitFixture git;
  git.Write("net.py", "x = 1\n");
  git.CommitAll();
  const std::string cache = testing::TempDir() + "/configured_sources_test_gone";
  std::filesystem::remove_all(cache);
  const Result<ResolvedSource> found = Resolve({.git = "file://" + git.folder().string(),
                                                .revision = "main",
                                                .url = "",
                                                .commit = std::string(40, 'a')},
                                               cache);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->commit.size(), 40u);
  EXPECT_NE(found->commit, std::string(40, 'a'));
}

}  // namespace
}  // namespace kernelmill
