#include "corpora/duplicates/near_duplicates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "manifests/split_mix.h"

namespace kernelmill {
namespace {

using Set = std::vector<std::uint64_t>;

// Numbers of a sequence of their own for each seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Number() { return NextMixedBits(&state_); }
  std::uint64_t Below(std::uint64_t bound) { return Number() % bound; }

 private:
  std::uint64_t state_;
};

Set Sorted(Set set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

Set RandomSet(Draws& draws, std::size_t size) {
  Set set(size);
  for (std::uint64_t& element : set) element = draws.Number();
  return Sorted(std::move(set));
}

// A copy with so many elements replaced.
Set Changed(Draws& draws, Set set, std::size_t changes) {
  for (std::size_t i = 0; i < changes; ++i) set[draws.Below(set.size())] = draws.Number();
  return Sorted(std::move(set));
}

// Families of sets in which every member is a changed copy of an earlier one.
std::vector<Set> RelatedSets(std::uint64_t seed, std::size_t count) {
  Draws draws(seed);
  std::vector<Set> sets;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || draws.Below(4) == 0) {
      sets.push_back(RandomSet(draws, 5 + draws.Below(200)));
    } else {
      const Set& from = sets[draws.Below(sets.size())];
      sets.push_back(Changed(draws, from, draws.Below(1 + from.size() / 3)));
    }
  }
  return sets;
}

std::vector<NearDuplicate> RemovedOf(const std::vector<Set>& sets, double threshold,
                                     NearDuplicates::Counts* counts = nullptr) {
  Result<NearDuplicates> search = NearDuplicates::Create(testing::TempDir(), threshold);
  EXPECT_TRUE(search.ok()) << search.status().message();
  for (const Set& set : sets) EXPECT_TRUE(search->Add(set).ok());
  EXPECT_EQ(search->count(), sets.size());
  std::vector<NearDuplicate> removed;
  const auto found = search->Find([&](const NearDuplicate& duplicate) {
    removed.push_back(duplicate);
    return Status::Ok();
  });
  EXPECT_TRUE(found.ok()) << found.status().message();
  if (counts != nullptr) *counts = *found;
  return removed;
}

TEST(SimilarityTest, CountsElementsInBothAndInEither) {
  const Set a = {1, 2, 3, 4}, b = {2, 4, 6}, none;
  EXPECT_EQ(SimilarityOf(a, b).shared, 2);
  EXPECT_EQ(SimilarityOf(a, b).all, 5);
  EXPECT_EQ(SimilarityOf(a, none).Value(), 0);
  EXPECT_EQ(SimilarityOf(none, none).Value(), 1);
  EXPECT_EQ(SimilarityOf(a, a).Value(), 1);
  EXPECT_TRUE((Similarity{4, 5}).Reaches(0.8));
  EXPECT_FALSE((Similarity{79, 100}).Reaches(0.8));
}

TEST(BandingTest, ProposesNinetyNineOfHundredPairsAtTheThreshold) {
  for (const double threshold : {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0}) {
    const Banding banding = Banding::For(threshold);
    const double in_band = std::pow(threshold, banding.rows);
    EXPECT_GE(1 - std::pow(1 - in_band, banding.bands), 0.99) << threshold;
    EXPECT_LE(banding.rows * banding.bands, 256) << threshold;
  }
}

TEST(NearDuplicatesTest, AgreesWithTheComparisonOfAllPairs) {
  std::int64_t pairs = 0, missed = 0, removals = 0;
  for (const double threshold : {0.6, 0.8, 0.9}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const std::vector<Set> sets = RelatedSets(seed, 400);
      const std::vector<NearDuplicate> removed = RemovedOf(sets, threshold);
      std::vector<bool> is_kept(sets.size(), true);
      for (const NearDuplicate& one : removed) is_kept[one.removed] = false;
      for (const NearDuplicate& one : removed) {
        ASSERT_LT(one.kept, one.removed);
        ASSERT_TRUE(is_kept[one.kept]) << "the representative itself is removed";
        const Similarity exact = SimilarityOf(sets[one.removed], sets[one.kept]);
        ASSERT_EQ(exact.shared, one.similarity.shared);
        ASSERT_EQ(exact.all, one.similarity.all);
        ASSERT_TRUE(exact.Reaches(threshold));
      }
      for (std::size_t i = 0; i < sets.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (!SimilarityOf(sets[i], sets[j]).Reaches(threshold)) continue;
          ++pairs;
          missed += is_kept[i] && is_kept[j];
        }
      }
      removals += static_cast<std::int64_t>(removed.size());
    }
  }
  EXPECT_GT(pairs, 1000);
  EXPECT_GT(removals, 500);
  EXPECT_LE(missed, pairs * 3 / 100) << "of " << pairs;
}

TEST(NearDuplicatesTest, SimilarityIsNotPassedOn) {
  // Each set shares 80 of 100 elements with the next one, and fewer with those after it.
  std::vector<Set> chain;
  for (std::uint64_t i = 0; i < 4; ++i) {
    Set set;
    for (std::uint64_t j = 0; j < 90; ++j) set.push_back(MixedBits(10 * i + j));
    chain.push_back(Sorted(set));
  }
  const std::vector<NearDuplicate> removed = RemovedOf(chain, 0.75);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const NearDuplicate& one : removed) found.emplace_back(one.removed, one.kept);
  EXPECT_THAT(found, testing::ElementsAre(testing::Pair(1, 0), testing::Pair(3, 2)));
}

TEST(NearDuplicatesTest, TheClosestKeptItemIsTheRepresentative) {
  Draws draws(3);
  const Set first = RandomSet(draws, 300);
  const Set second = Changed(draws, first, 60);
  const Set third = Changed(draws, second, 5);
  const std::vector<NearDuplicate> removed = RemovedOf({first, second, third, second}, 0.8);
  ASSERT_EQ(removed.size(), 2);
  EXPECT_EQ(removed[0].removed, 2);
  EXPECT_EQ(removed[0].kept, 1);
  EXPECT_EQ(removed[1].removed, 3);
  EXPECT_EQ(removed[1].kept, 1);
  EXPECT_EQ(removed[1].similarity.Value(), 1);
}

TEST(NearDuplicatesTest, ItemsOfTwoKnownKindsAreNoDuplicates) {
  Draws draws(9);
  const Set set = RandomSet(draws, 50);
  Result<NearDuplicates> search = NearDuplicates::Create(testing::TempDir(), 0.8);
  ASSERT_TRUE(search.ok());
  for (const std::uint64_t kind : {1, 2, 1, 0, 2}) ASSERT_TRUE(search->Add(set, kind).ok());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  ASSERT_TRUE(search
                  ->Find([&](const NearDuplicate& one) {
                    found.emplace_back(one.removed, one.kept);
                    return Status::Ok();
                  })
                  .ok());
  EXPECT_THAT(found, testing::ElementsAre(testing::Pair(2, 0), testing::Pair(3, 0),
                                          testing::Pair(4, 1)));
}

TEST(NearDuplicatesTest, EmptySetsAreKept) {
  EXPECT_TRUE(RemovedOf({{}, {}, {1}, {}}, 0.8).empty());
  EXPECT_TRUE(RemovedOf({}, 0.8).empty());
}

TEST(NearDuplicatesTest, ManyCopiesCostOneComparisonEach) {
  Draws draws(5);
  const Set set = RandomSet(draws, 100);
  NearDuplicates::Counts counts;
  EXPECT_EQ(RemovedOf(std::vector<Set>(5000, set), 0.8, &counts).size(), 4999);
  EXPECT_EQ(counts.verified, 4999);
}

// Not under the sanitizers, whose memory is not counted.
TEST(NearDuplicatesTest, MemoryHardlyGrowsWithTheNumberOfItems) {
  const auto held = [] { return static_cast<double>(mallinfo2().uordblks) / (1 << 20); };
  const double before = held();
  Result<NearDuplicates> items = NearDuplicates::Create(testing::TempDir(), 0.8);
  ASSERT_TRUE(items.ok());
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    std::uint64_t state = i / 2, set[4];
    for (std::uint64_t& one : set) one = NextMixedBits(&state);
    std::sort(std::begin(set), std::end(set));
    ASSERT_TRUE(items->Add(set).ok());
  }
  double most = held() - before;
  const auto counts = items->Find([&](const NearDuplicate&) {
    most = std::max(most, held() - before);
    return Status::Ok();
  });
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->removed, 20'000);
  EXPECT_LT(most, 4) << "MiB";
}

TEST(NearDuplicatesTest, FailuresOfTheVisitorEndTheSearch) {
  Result<NearDuplicates> search = NearDuplicates::Create(testing::TempDir(), 0.8);
  ASSERT_TRUE(search.ok());
  ASSERT_TRUE(search->Add(Set{1, 2, 3}).ok());
  ASSERT_TRUE(search->Add(Set{1, 2, 3}).ok());
  const auto found =
      search->Find([](const NearDuplicate&) { return Status(ErrorCode::kIo, "full"); });
  EXPECT_EQ(found.status().code(), ErrorCode::kIo);
}

TEST(NearDuplicatesTest, FolderForScratchFilesMustExist) {
  EXPECT_FALSE(NearDuplicates::Create(testing::TempDir() + "/none/here", 0.8).ok());
}

}  // namespace
}  // namespace kernelmill
