// The Merkle tree over the record digests of a dataset. Writing, exporting and auditing a dataset
// add the digests of its records in order; the root goes into manifest.json. The tree is that of
// RFC 6962, section 2.1, with SHA-256: a leaf is H(0x00 ‖ digest), an inner node H(0x01 ‖ left ‖
// right), and the tree over n leaves splits at the largest power of two below n. The root of no
// leaves is H("").
#pragma once

#include <cstdint>
#include <vector>

#include "manifests/digest.h"

namespace kernelmill {

// Takes the leaves in order and keeps O(log n) digests.
class MerkleTree {
 public:
  void Add(const Digest& record_digest);
  std::uint64_t size() const { return size_; }
  Digest Root() const;

 private:
  // complete_[i]: the roots of the complete subtrees to the left, largest first.
  std::vector<Digest> complete_;
  std::uint64_t size_ = 0;
};

}  // namespace kernelmill
