#include "generators/lowering/attention/attention_tile.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

AttentionSpec Sizes(std::int64_t heads, std::int64_t queries, std::int64_t keys,
                    std::int64_t width) {
  AttentionSpec spec;
  spec.heads.Add("head", "heads", heads);
  spec.query_count = queries;
  spec.key_count = keys;
  spec.width_count = width;
  return spec;
}

// The kernel's loops have no remainders, so sizes must be divisible, and the tile must fit into the
// shared memory and registers of a device.
TEST(AttentionTile, ItsPartsComeOutEven) {
  for (const std::int64_t heads : {1, 12, 4096}) {
    for (const std::int64_t queries : {1, 17, 64, 5000}) {
      for (const std::int64_t keys : {1, 16, 31, 33, 5000}) {
        for (const std::int64_t width : {1, 33, 64, 100, 256, 1000}) {
          const AttentionTile tile = AttentionTileFor(Sizes(heads, queries, keys, width));
          SCOPED_TRACE(testing::Message() << heads << " x " << queries << " x " << keys << " x "
                                          << width << ": " << tile.queries << " x " << tile.keys
                                          << " x " << tile.columns);
          const int threads = tile.threads();
          EXPECT_TRUE(threads == 128 || threads == 256);
          EXPECT_EQ(threads % tile.columns, 0);
          EXPECT_EQ(tile.queries * AttentionTile::kDepth % threads, 0);
          EXPECT_EQ(tile.keys * AttentionTile::kDepth % threads, 0);
          EXPECT_EQ(tile.value_keys() * tile.columns % threads, 0);
          EXPECT_EQ(tile.keys % tile.value_keys(), 0);
          EXPECT_EQ(tile.value_keys() % 4, 0);
          EXPECT_EQ(tile.keys % tile.lanes, 0);
          EXPECT_EQ(tile.columns % (4 * tile.lanes), 0);
          EXPECT_EQ(tile.weight_pitch() % 4, 0);
          EXPECT_LE(tile.shared_bytes(), 48 * 1024);
          const int of_thread =
              tile.thread_queries * (tile.keys + tile.columns) / tile.lanes;
          EXPECT_LE(of_thread, 80);
        }
      }
    }
  }
}

TEST(AttentionTile, FewQueriesGetSmallTilesAndManyLargeOnes) {
  EXPECT_EQ(AttentionTileFor(Sizes(256, 1024, 1024, 64)).queries, 64);
  EXPECT_EQ(AttentionTileFor(Sizes(256, 7, 1024, 64)).queries, 16);
  // A single head has too few tiles to fill a device.
  EXPECT_EQ(AttentionTileFor(Sizes(1, 2048, 2048, 64)).queries, 16);
  EXPECT_EQ(AttentionTileFor(Sizes(256, 1024, 9, 64)).keys, 16);
  EXPECT_EQ(AttentionTileFor(Sizes(256, 1024, 1024, 200)).columns, 256);
}

}  // namespace
}  // namespace kernelmill
