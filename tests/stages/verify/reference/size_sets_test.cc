#include "stages/verify/reference/size_sets.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace kernelmill {
namespace {

SizeSite Site(std::int64_t id, std::int64_t value, bool inputs, bool model) {
  return {id, value, {"n" + std::to_string(id)}, inputs, model};
}

TEST(SizeSets, ShrinkWhatOnlyInputsDependOnFirst) {
  const std::vector<SizeSite> sites = {Site(0, 128, true, false), Site(1, 64, true, true),
                                       Site(2, 3, false, true)};
  const std::vector<Sizes> sets = ShrinkingSizes(sites);
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front(), (Sizes{{0, 64}}));
  for (const Sizes& sizes : sets) EXPECT_FALSE(sizes.contains(2));
  EXPECT_TRUE(std::any_of(sets.begin(), sets.end(), [](const Sizes& sizes) {
    return sizes.contains(0) && sizes.at(0) == 2;
  }));
}

// A grid that is rounded down, or a last vector that is read whole, shows only at such sizes.
TEST(SizeSets, LeaveLastTilesAsIncompleteAsTheyAre) {
  for (const std::int64_t value : {20010, 4144, 1040, 300001}) {
    const std::vector<SizeSite> sites = {Site(0, value, true, false), Site(1, 512, true, false)};
    const std::int64_t chosen = ShrinkingSizes(sites).front().at(0);
    EXPECT_LE(chosen, 256);
    EXPECT_EQ(chosen % 32, value % 32) << value;
  }
}

// 256 elements would be a single block.
TEST(SizeSets, ShrinkASingleSizeLess) {
  EXPECT_EQ(ShrinkingSizes({Site(0, 100000007, true, false)}).front(), (Sizes{{0, 65511}}));
  EXPECT_EQ(ShrinkingSizes({Site(0, 1 << 27, true, false)}).front(), (Sizes{{0, 65536}}));
}

// x.view(-1, 4, 64) fixes one of the sizes.
TEST(SizeSets, ShrinkAllButOne) {
  const std::vector<SizeSite> sites = {Site(0, 256, true, false), Site(1, 256, true, false),
                                       Site(2, 100, true, false)};
  const std::vector<Sizes> sets = ShrinkingSizes(sites);
  for (std::int64_t kept : {0, 1, 2}) {
    EXPECT_TRUE(std::any_of(sets.begin(), sets.end(), [&](const Sizes& sizes) {
      return sizes.size() == 2 && !sizes.contains(kept);
    })) << kept;
  }
}

// glu() halves a size, and a view splits another one.
TEST(SizeSets, ShrinkSomeByOneFactor) {
  const std::vector<SizeSite> sites = {Site(0, 512, true, false), Site(1, 256, true, false),
                                       Site(2, 896, true, false), Site(3, 56, true, true),
                                       Site(4, 16, true, true)};
  const std::vector<Sizes> sets = ShrinkingSizes(sites);
  EXPECT_NE(std::find(sets.begin(), sets.end(), (Sizes{{0, 8}, {1, 4}})), sets.end());
  EXPECT_LT(sets.size(), 200u);
}

// A language model has many sizes that are tied to its width, so all shrink together.
TEST(SizeSets, ShrinkAllByOneFactor) {
  const std::vector<std::int64_t> values = {12000, 6144, 4608, 4096, 1536, 96, 48, 32};
  std::vector<SizeSite> sites;
  Sizes eighths;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto id = static_cast<std::int64_t>(i);
    sites.push_back(Site(id, values[i], true, true));
    eighths[id] = values[i] / 8;
  }
  const std::vector<Sizes> sets = ShrinkingSizes(sites);
  EXPECT_NE(std::find(sets.begin(), sets.end(), eighths), sets.end());
}

TEST(SizeSets, OfFeedbackAndGradingAreDisjoint) {
  for (std::int64_t value = 2; value <= 1100; ++value) {
    const std::vector<SizeSite> sites = {Site(0, value, true, false)};
    std::set<std::int64_t> seen = {value};
    for (int variant : {0, 1, 2, 3}) {
      const std::vector<Sizes> sets = OtherSizes(sites, {}, variant);
      ASSERT_FALSE(sets.empty()) << value;
      EXPECT_TRUE(seen.insert(sets.front().at(0)).second) << value << " variant " << variant;
      EXPECT_GT(sets.front().at(0), 0);
    }
  }
}

}  // namespace
}  // namespace kernelmill
