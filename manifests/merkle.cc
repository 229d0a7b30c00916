#include "manifests/merkle.h"

namespace kernelmill {
namespace {

Digest Inner(const Digest& left, const Digest& right) {
  return Sha256().Update(std::string_view("\x01", 1)).Update(left.AsKey()).Update(right.AsKey()).Finish();
}

}  // namespace

void MerkleTree::Add(const Digest& record_digest) {
  Digest node = Sha256().Update(std::string_view("\0", 1)).Update(record_digest.AsKey()).Finish();
  // One merge for each trailing one bit of the old size, as in a binary counter.
  for (std::uint64_t bits = size_; bits & 1; bits >>= 1) {
    node = Inner(complete_.back(), node);
    complete_.pop_back();
  }
  complete_.push_back(node);
  ++size_;
}

Digest MerkleTree::Root() const {
  if (complete_.empty()) return DigestOf("");
  Digest root = complete_.back();
  for (std::size_t i = complete_.size() - 1; i-- > 0;) root = Inner(complete_[i], root);
  return root;
}

}  // namespace kernelmill
