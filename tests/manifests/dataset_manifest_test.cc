#include "manifests/dataset_manifest.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

DatasetManifest Example() {
  DatasetManifest manifest;
  manifest.merkle_root = DigestOf("root");
  manifest.records = {{"task", 2}, {"training", 3}};
  manifest.rows = {{"train", 3}};
  manifest.counts["mine"] = {.in = 4,
                             .kept = 2,
                             .dropped = {{"no_marker", 1}},
                             .rejected = {{"parse_error", 1}},
                             .counters = {{"classes", 9}},
                             .outputs = 2};
  manifest.plan = {{"mine", DigestOf("plan")}, {"admit", DigestOf("another")}};
  manifest.versions = {{"kernelmill", "0.1.0"}};
  manifest.files = {{"README.md", 3, DigestOf("abc")}, {"shards/records-00000.mdb", 9, {}}};
  return manifest;
}

TEST(DatasetManifest, ReadsWhatItWrites) {
  EXPECT_EQ(DatasetManifest::Decode(Example().Encode()).value(), Example());
  EXPECT_EQ(DatasetManifest::Decode(DatasetManifest().Encode()).value(), DatasetManifest());
}

TEST(DatasetManifest, EveryFlippedBitOfEveryByteIsFound) {
  const std::string bytes = Example().Encode();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      EXPECT_EQ(DatasetManifest::Decode(damaged).status().code(), ErrorCode::kCorrupt) << damaged;
    }
  }
}

TEST(DatasetManifest, CutAnywhereIsCorrupt) {
  const std::string bytes = Example().Encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DatasetManifest::Decode(std::string_view(bytes).substr(0, size)).ok());
  }
}

}  // namespace
}  // namespace kernelmill
