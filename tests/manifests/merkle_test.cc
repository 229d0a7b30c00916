#include "manifests/merkle.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

// A direct transcription of RFC 6962, section 2.1.
Digest Definition(const std::vector<Digest>& leaves, std::size_t first, std::size_t count) {
  if (count == 0) return DigestOf("");
  if (count == 1) {
    return Sha256().Update(std::string_view("\0", 1)).Update(leaves[first].AsKey()).Finish();
  }
  std::size_t split = 1;
  while (split * 2 < count) split *= 2;
  return Sha256()
      .Update(std::string_view("\x01", 1))
      .Update(Definition(leaves, first, split).AsKey())
      .Update(Definition(leaves, first + split, count - split).AsKey())
      .Finish();
}

TEST(MerkleTree, EqualsTheRecursiveDefinitionForEverySize) {
  std::vector<Digest> leaves;
  MerkleTree tree;
  for (int size = 0; size <= 130; ++size) {
    EXPECT_EQ(tree.Root(), Definition(leaves, 0, leaves.size())) << size << " leaves";
    EXPECT_EQ(tree.size(), leaves.size());
    leaves.push_back(DigestOf(std::to_string(size)));
    tree.Add(leaves.back());
  }
}

TEST(MerkleTree, ChangesWhenALeafChangesMovesOrGoes) {
  std::vector<Digest> leaves;
  for (int i = 0; i < 21; ++i) leaves.push_back(DigestOf(std::to_string(i)));
  const auto root_of = [](const std::vector<Digest>& items) {
    MerkleTree tree;
    for (const Digest& item : items) tree.Add(item);
    return tree.Root();
  };
  const Digest root = root_of(leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    auto changed = leaves;
    changed[i].bytes[31] ^= 1;
    EXPECT_NE(root_of(changed), root);
    auto removed = leaves;
    removed.erase(removed.begin() + static_cast<long>(i));
    EXPECT_NE(root_of(removed), root);
    auto moved = leaves;
    std::swap(moved[i], moved[(i + 1) % moved.size()]);
    EXPECT_NE(root_of(moved), root);
  }
}

}  // namespace
}  // namespace kernelmill
