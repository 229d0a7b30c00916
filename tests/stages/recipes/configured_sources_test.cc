#include "stages/recipes/configured_sources.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "manifests/commit_file.h"
#include "stages/recipes/sft_pipeline.h"
#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using EngineRun = Run;  // testing::Test has a Run() too.

// A repository behind a URL, and a configuration that names its branch main.
class ConfiguredSources : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    Change("x = 1\n");
    config_ = Read("sources: [{git: \"file://" + git_.folder().string() + "\", revision: main}]");
  }

  void Change(const std::string& text) {
    git_.Write("net.py", text);
    git_.CommitAll();
  }
  Config Read(const std::string& text) const {
    Result<Config> config = Config::Parse(SftKeys(), text, "test.yaml", {});
    EXPECT_TRUE(config.ok()) << config.status().message();
    return *std::move(config);
  }
  ResolvedSources Find(const SourceOptions& options) const {
    Result<ResolvedSources> found = ResolveSources(config_, options);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *std::move(found) : ResolvedSources();
  }
  std::string Lock(const ResolvedSources& sources) const {
    const std::string path = folder_ + "/lock.json";
    EXPECT_TRUE(MakeFolders(folder_).ok());
    EXPECT_TRUE(ReplaceFile(path, sources.lock.Encode()).ok());
    return path;
  }

  const std::string folder_ = testing::TempDir() + "/configured_sources_test";
  const std::string cache_ = folder_ + "/cache", output_ = folder_ + "/out";
  // Repositories are read in this process.
  const SourceOptions fresh_ = {.cache = cache_, .child_program = ""};
  const SourceOptions resuming_ = {.cache = cache_, .resumes = output_, .child_program = ""};
  GitFixture git_;
  Config config_;
};

// A run that is resumed after the remote's branch has moved continues with the commit that it began
// with, from the folder of fetched repositories or, if that is gone, from the remote.
TEST_F(ConfiguredSources, AResumedRunKeepsTheCommitOfAURL) {
  const ResolvedSources began = Find(resuming_);
  ASSERT_EQ(began.repositories.size(), 1u);
  Result<EngineRun> run = EngineRun::Open({.output = output_});
  ASSERT_TRUE(run.ok()) << run.status().message();
  ASSERT_TRUE(HoldSources(*run, began).ok());
  Change("x = 2\n");
  for (const bool cached : {true, false}) {
    if (!cached) fs::remove_all(cache_);
    const ResolvedSources resumed = Find(resuming_);
    ASSERT_EQ(resumed.repositories.size(), 1u);
    EXPECT_EQ(resumed.repositories[0].commit, began.repositories[0].commit);
    EXPECT_TRUE(HoldSources(*run, resumed).ok());
  }
  // Another run takes the branch as it is now, and so does a new run in the folder.
  const ResolvedSources now = Find(fresh_);
  EXPECT_NE(now.repositories.at(0).commit, began.repositories[0].commit);
  EXPECT_EQ(HoldSources(*run, now).code(), ErrorCode::kPlanChanged);
  ASSERT_TRUE(run->RemoveSteps().ok());
  EXPECT_TRUE(fs::exists(output_ + "/.run/sources.lock"));
  EXPECT_EQ(Find(resuming_).repositories.at(0).commit, now.repositories[0].commit);
}

TEST_F(ConfiguredSources, ARunWithALockTakesItsCommits) {
  const ResolvedSources began = Find(fresh_);
  const std::string lock = Lock(began);
  Change("x = 2\n");
  EXPECT_NE(Find(fresh_).lock.Encode(), began.lock.Encode());
  const ResolvedSources locked = Find({.cache = cache_, .lock = lock, .child_program = ""});
  EXPECT_EQ(locked.lock.Encode(), began.lock.Encode());
  EXPECT_EQ(locked.repositories.at(0).commit, began.repositories.at(0).commit);
}

TEST_F(ConfiguredSources, ALockOfOtherSourcesIsRefused) {
  const std::string url = "file://" + git_.folder().string();
  const std::string lock = Lock(Find(fresh_));
  const auto refusal = [&](const std::string& text) {
    return ResolveSources(Read(text), {.cache = cache_, .lock = lock, .child_program = ""})
        .status();
  };
  const Status other = refusal("sources: [{git: \"" + url + "\", revision: v1}]");
  EXPECT_EQ(other.code(), ErrorCode::kConfig);
  EXPECT_NE(other.message().find(url + "' at revision 'v1'"), std::string::npos) << other.message();
  const Status more = refusal("sources: [{git: \"" + url + "\", revision: main}, {git: a/b}]");
  EXPECT_NE(more.message().find("https://github.com/a/b"), std::string::npos) << more.message();
  const Status fewer = refusal("generate: {count: 1}");
  EXPECT_NE(fewer.message().find("the configuration has no source '" + url), std::string::npos)
      << fewer.message();
}

// A commit that the remote has no longer leaves the choice to the revision, but not under a lock.
TEST_F(ConfiguredSources, ACommitThatIsGone) {
  SourceSpec spec = {.git = "file://" + git_.folder().string(),
                     .revision = "main",
                     .url = "",
                     .commit = std::string(40, 'a')};
  const Result<ResolvedSource> found = Resolve(spec, {.cache = cache_});
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->commit.size(), 40u);
  EXPECT_NE(found->commit, std::string(40, 'a'));
  spec.pinned = true;
  EXPECT_EQ(Resolve(spec, {.cache = cache_}).status().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kernelmill
