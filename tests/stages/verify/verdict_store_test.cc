#include "stages/verify/judge/verdict_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "stages/engine/cache_pruning.h"
#include "stages/verify/judge/judging_secret.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

class Store : public testing::Test {
 protected:
  void SetUp() override {
    Result<VerdictStore> store = VerdictStore::Open(folder_.path());
    ASSERT_TRUE(store.ok()) << store.status().message();
    store_.emplace(std::move(store).value());
  }
  std::string Path(const std::string& suffix) const {
    return folder_.path() + "/ab/" + kKey + suffix;
  }

  static constexpr char kKey[] = "abcdef";
  const Json verdict_ = Json::Object{{"status", "wrong"}, {"reason", "values"}, {"detail", "x\ny"}};
  TemporaryFolder folder_;
  std::optional<VerdictStore> store_;
};

TEST_F(Store, KeepsOutcomeAndAttemptsApart) {
  EXPECT_EQ(*store_->Find(kKey), std::nullopt);
  ASSERT_TRUE(store_->Begin(kKey).ok());
  EXPECT_EQ(*store_->Find(kKey), std::nullopt);
  ASSERT_TRUE(store_->Begin(kKey).ok());
  ASSERT_TRUE(store_->Keep(kKey, verdict_).ok());
  EXPECT_EQ(*store_->Find(kKey), verdict_);
  EXPECT_EQ(*ReadFile(Path(".attempts")), "begun\nbegun\nkept\n");

  const std::string bytes = *ReadFile(Path(".json"));
  ASSERT_TRUE(store_->Keep(kKey, verdict_).ok());
  EXPECT_EQ(*ReadFile(Path(".json")), bytes);
}

TEST_F(Store, DoesNotKeepWhatSaysNothing) {
  const Json infra = Json::Object{{"status", "infra"}, {"detail", "no\nworker"}};
  ASSERT_TRUE(store_->Keep(kKey, infra).ok());
  EXPECT_EQ(*store_->Find(kKey), std::nullopt);
  EXPECT_EQ(*ReadFile(Path(".attempts")), "infra: no worker\n");
}

TEST_F(Store, BelievesNoDamage) {
  ASSERT_TRUE(store_->Keep(kKey, verdict_).ok());
  const std::string bytes = *ReadFile(Path(".json"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    ASSERT_TRUE(ReplaceFile(Path(".json"), damaged).ok());
    EXPECT_EQ(*store_->Find(kKey), std::nullopt) << i;
    ASSERT_TRUE(ReplaceFile(Path(".json"), bytes.substr(0, i)).ok());
    EXPECT_EQ(*store_->Find(kKey), std::nullopt) << i;
  }
  // A valid entry under another key does not count.
  ASSERT_TRUE(ReplaceFile(folder_.path() + "/ab/abcd00.json", bytes).ok());
  EXPECT_EQ(*store_->Find("abcd00"), std::nullopt);
}

TEST_F(Store, KeepsItsSecretUntilItIsRemoved) {
  const Result<std::string> drawn = store_->Secret();
  ASSERT_TRUE(drawn.ok()) << drawn.status().message();
  EXPECT_EQ(drawn->size(), 64U);
  EXPECT_EQ(*store_->Secret(), *drawn);
  const std::string file = folder_.path() + "/secret";
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  // A run that begins now has the same secret, and keeps it.
  const std::string of_run = folder_.path() + "/run/secret";
  EXPECT_EQ(*KeepSecret(of_run, *drawn), *drawn);
  fs::remove(file);
  EXPECT_NE(*store_->Secret(), *drawn);
  EXPECT_EQ(*KeepSecret(of_run, *store_->Secret()), *drawn);
  ASSERT_TRUE(ReplaceFile(file, "short").ok());
  EXPECT_EQ(store_->Secret().status().code(), ErrorCode::kCorrupt);
}

TEST(JudgingSecrets, AreCommittedToByADigest) {
  const std::string secret = DrawSecret();
  EXPECT_NE(DrawSecret(), secret);
  EXPECT_EQ(CommitmentTo(""), "");
  EXPECT_EQ(CommitmentTo(secret), CommitmentTo(secret));
  EXPECT_EQ(CommitmentTo(secret).find(secret), std::string::npos);
}

TEST(VerdictKeys, FollowFromWhatDecides) {
  JudgeOptions options;
  options.policy = *FindVerifyPolicy("strict");
  options.executor = "one";
  ToolIdentity tool;
  tool.digest = DigestOf("tool");
  std::vector<std::string> keys = {
      VerdictKey("task", "code", options, tool), VerdictKey("task", "other", options, tool),
      VerdictKey("task", "", options, tool), VerdictKey("task", std::nullopt, options, tool),
      VerdictKey("taskc", "ode", options, tool)};
  const auto with = [&](auto change) {
    JudgeOptions changed = options;
    change(&changed);
    keys.push_back(VerdictKey("task", "code", changed, tool));
  };
  with([](JudgeOptions* changed) { changed->policy = *FindVerifyPolicy("kernelbench"); });
  with([](JudgeOptions* changed) { changed->backend = &kMusaBackend; });
  with([](JudgeOptions* changed) { changed->seed = 43; });
  with([](JudgeOptions* changed) { changed->secret = "a secret"; });
  with([](JudgeOptions* changed) { changed->training = false; });
  with([](JudgeOptions* changed) { changed->contract.any_shape = true; });
  with([](JudgeOptions* changed) { changed->contract.any_layout = true; });
  with([](JudgeOptions* changed) { changed->limits.cpu_ms += 1000; });
  with([](JudgeOptions* changed) { changed->own_size_cpu_ms += 1000; });
  with([](JudgeOptions* changed) { changed->executor = "two"; });
  with([](JudgeOptions* changed) { changed->sanitizers.resize(1); });
  tool.digest = DigestOf("another tool");
  keys.push_back(VerdictKey("task", "code", options, tool));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
}

TEST(PruneCache, RemovesWhatWasNotUsedForLongest) {
  const TemporaryFolder folder;
  const auto now = fs::file_time_type::clock::now();
  const auto entry = [&](const std::string& name, int hours) {
    const fs::path path = folder.path() + "/" + name.substr(0, 2) + "/" + name;
    fs::create_directories(path);
    EXPECT_TRUE(ReplaceFile(path / "file", std::string(100, 'x')).ok());
    fs::last_write_time(path, now - std::chrono::hours(hours));
    return path;
  };
  const fs::path oldest = entry("aa1", 9), old = entry("bb1", 5), recent = entry("aa2", 2);
  const fs::path in_use = entry("cc1", 0);
  const auto prune_after_a_while = [&](std::int64_t bytes) {
    std::error_code none_yet;
    fs::last_write_time(folder.path() + "/pruning.lock", now - std::chrono::minutes(11), none_yet);
    return PruneCache(folder.path(), bytes).ok();
  };
  MarkUsed(old);
  ASSERT_TRUE(PruneCache(folder.path(), 400).ok());
  ASSERT_TRUE(PruneCache(folder.path(), 399).ok());  // At once, so that nothing happens.
  EXPECT_TRUE(fs::exists(oldest));
  ASSERT_TRUE(prune_after_a_while(399));
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_TRUE(fs::exists(recent));
  ASSERT_TRUE(prune_after_a_while(1));
  EXPECT_FALSE(fs::exists(recent));
  EXPECT_TRUE(fs::exists(old));
  EXPECT_TRUE(fs::exists(in_use));
}

}  // namespace
}  // namespace kernelmill
