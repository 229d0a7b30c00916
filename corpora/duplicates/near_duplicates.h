// Finds near duplicates among sets of hashes, such as the grams of programs
// (parsers/program_grams.h). Items come in order of preference. Each one is compared with the
// items before it that are kept; it is removed when the Jaccard similarity to one of them reaches
// the threshold, and that one is its representative. Removed items represent nothing, so similarity
// is never passed on from item to item.
//
// Items may have a kind, such as the operator graph of a module: short modules that compute different
// things share most of their text.
//
// MinHash with banding proposes the pairs, and every pair is verified by its exact similarity: no
// item is removed without a representative that is as similar as asked for. Pairs of at least the
// threshold are proposed with a probability of 99 %, closer pairs with a higher one.
//
// Everything that grows with the number of items lies in scratch files, and a 4096th of the pairs
// is sorted in memory at a time: 0.2 MiB for 2 million items. (Equal sets have all their pairs in
// the same parts.) Each number of 64 bits in a set takes 8 bytes of disk, each item about 0.5 KiB.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

// The similarity of two sets: shared / all.
struct Similarity {
  std::uint64_t shared = 0;  // The number of elements in both.
  std::uint64_t all = 0;     // The number of elements in either.

  double Value() const {
    return all == 0 ? 1 : static_cast<double>(shared) / static_cast<double>(all);
  }
  bool Reaches(double threshold) const { return Value() >= threshold; }
};
// Both ascending and without repeats. Two empty sets are equal.
Similarity SimilarityOf(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// The number of MinHash values a band compares, and the number of bands.
struct Banding {
  int rows = 0, bands = 0;
  // The most selective banding that proposes a pair of the similarity `threshold` with a
  // probability of 99 %.
  static Banding For(double threshold);
};

// The smallest threshold: below it, so many pairs are proposed that nothing is gained over a
// comparison of all.
inline constexpr double kLeastSimilarity = 0.5;

struct NearDuplicate {
  std::uint64_t removed = 0, kept = 0;  // Numbers of items in the order of Add(), from 0.
  Similarity similarity;
};

class NearDuplicates {
 public:
  // `folder` is for scratch files. `threshold` lies between kLeastSimilarity and 1.
  static Result<NearDuplicates> Create(const std::string& folder, double threshold);
  ~NearDuplicates();
  NearDuplicates(NearDuplicates&&) noexcept;
  NearDuplicates& operator=(NearDuplicates&&) noexcept;

  // The next item: ascending, without repeats. An empty set is similar to none. Items of two known
  // kinds are never duplicates of each other; 0 is a kind that is not known.
  Status Add(std::span<const std::uint64_t> set, std::uint64_t kind = 0);
  std::uint64_t count() const;

  struct Counts {
    std::uint64_t verified = 0, removed = 0;  // Pairs, and items.
  };
  // Visits the removed items in ascending order, each with the kept item that is most similar to
  // it; among equals the first one. To be called once, after the last Add().
  using Visit = std::function<Status(const NearDuplicate& duplicate)>;
  Result<Counts> Find(const Visit& visit);

 private:
  struct State;
  explicit NearDuplicates(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
