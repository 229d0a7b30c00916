#include "stages/engine/outcome_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "manifests/commit_file.h"
#include "tests/stages/engine/square_step.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr char kKey[] = "abcdef";

std::string DrawnText(std::mt19937_64* random) {
  std::string text(std::uniform_int_distribution<std::size_t>(0, 40)(*random), '\0');
  for (char& one : text) one = static_cast<char>((*random)());
  return text;
}

Outcome DrawnOutcome(std::mt19937_64* random) {
  const auto few = [&] { return std::uniform_int_distribution<int>(0, 3)(*random); };
  Outcome outcome;
  outcome.fate = static_cast<Fate>(few() % 3);
  outcome.reason = DrawnText(random);
  outcome.detail = DrawnText(random);
  outcome.original = DrawnText(random);
  for (int i = few(); i > 0; --i) outcome.outputs.push_back({DrawnText(random), DrawnText(random)});
  for (int i = few(); i > 0; --i) {
    outcome.rejected_items.push_back(
        {DrawnText(random), DrawnText(random), DrawnText(random), DrawnText(random)});
  }
  for (int i = few(); i > 0; --i) {
    outcome.counters.emplace_back("count" + std::to_string(i), static_cast<int>((*random)()));
    Origin origin;
    origin.generator = 1;
    origin.seed = i;
    outcome.origins.push_back(origin);
  }
  return outcome;
}

void ExpectEqual(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.fate, b.fate);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.detail, b.detail);
  EXPECT_EQ(a.original, b.original);
  EXPECT_EQ(a.origins, b.origins);
  EXPECT_EQ(a.counters, b.counters);
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    EXPECT_EQ(a.outputs[i].key, b.outputs[i].key);
    EXPECT_EQ(a.outputs[i].body, b.outputs[i].body);
  }
  ASSERT_EQ(a.rejected_items.size(), b.rejected_items.size());
  for (std::size_t i = 0; i < a.rejected_items.size(); ++i) {
    EXPECT_EQ(a.rejected_items[i].key, b.rejected_items[i].key);
    EXPECT_EQ(a.rejected_items[i].reason, b.rejected_items[i].reason);
    EXPECT_EQ(a.rejected_items[i].detail, b.rejected_items[i].detail);
    EXPECT_EQ(a.rejected_items[i].original, b.rejected_items[i].original);
  }
}

class Outcomes : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    Result<OutcomeStore> store = OutcomeStore::Open(folder_ + "/outcomes");
    ASSERT_TRUE(store.ok()) << store.status().message();
    store_.emplace(std::move(store).value());
  }
  std::string Path() const { return folder_ + "/outcomes/ab/" + kKey + ".outcome"; }

  std::optional<OutcomeStore> store_;
};

TEST_F(Outcomes, ComeBackAsTheyWere) {
  EXPECT_FALSE(*store_->Find(kKey));
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    const Outcome outcome = DrawnOutcome(&random);
    ASSERT_TRUE(store_->Keep(kKey, outcome).ok());
    const std::optional<Outcome> found = *store_->Find(kKey);
    ASSERT_TRUE(found) << i;
    ExpectEqual(*found, outcome);
  }
}

TEST_F(Outcomes, AreAbsentWhenTheyAreDamaged) {
  ASSERT_TRUE(store_->Keep(kKey, Outcome::Keep({{"key", "body"}})).ok());
  const std::string bytes = *ReadFile(Path());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    ASSERT_TRUE(ReplaceFile(Path(), damaged).ok());
    EXPECT_FALSE(*store_->Find(kKey)) << i;
    ASSERT_TRUE(ReplaceFile(Path(), bytes.substr(0, i)).ok());
    EXPECT_FALSE(*store_->Find(kKey)) << i;
  }
}

}  // namespace
}  // namespace kernelmill
