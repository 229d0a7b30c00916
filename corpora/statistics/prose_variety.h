// How much of some prose is said for the first time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace kernelmill {

// Two measures of it. Distinct-4: of all runs of four words, how many are there for the first time.
// One run in sixteen is looked at, by its hash, always the same ones: with n words of prose that never
// repeats memory grows by n / 16 numbers. And what zstd makes of it, level 9, in pieces of 4 MiB.
class ProseVariety {
 public:
  // Without what stands between code fences. Runs do not go from one text to the next.
  void Add(std::string_view text);

  std::int64_t runs() const { return runs_; }                                       // Looked at.
  std::int64_t distinct() const { return static_cast<std::int64_t>(seen_.size()); }  // Of them.
  // Bytes of prose over what is left of them, 0 without prose.
  double Compression() const;

 private:
  void Keep(std::string_view line);

  std::string piece_;  // Not compressed yet.
  std::size_t bytes_ = 0, compressed_ = 0;
  std::unordered_set<std::uint64_t> seen_;
  std::int64_t runs_ = 0;
};

}  // namespace kernelmill
