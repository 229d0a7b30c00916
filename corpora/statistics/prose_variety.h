// Measures how repetitive the prose of a dataset's answers is, for the dataset card: the share of
// four-word sequences that are distinct, and how well the prose compresses. DatasetStatistics
// (dataset_statistics.h) adds the answers one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace kernelmill {

// Two measures: distinct-4 and compression. Distinct-4 is the share of four-word sequences that are
// distinct. Only one sequence in sixteen is sampled, by its hash, so the same ones are always
// sampled; memory grows by n / 16 numbers for n words of prose that never repeats. Compression is
// the ratio that zstd reaches at level 9 on pieces of 4 MiB.
class ProseVariety {
 public:
  // Text between code fences is left out. Sequences do not cross texts.
  void Add(std::string_view text);

  std::int64_t sequences() const { return sequences_; }  // The number of sampled sequences.
  // How many of them are distinct.
  std::int64_t distinct_sequences() const { return static_cast<std::int64_t>(seen_.size()); }
  // Bytes of prose per byte of compressed prose; 0 without prose.
  double CompressionRatio() const;

 private:
  void Keep(std::string_view line);

  std::string piece_;  // Not compressed yet.
  std::size_t bytes_ = 0, compressed_ = 0;
  std::unordered_set<std::uint64_t> seen_;
  std::int64_t sequences_ = 0;
};

}  // namespace kernelmill
