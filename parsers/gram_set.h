// Collects the grams of a text: hashes of runs of five tokens that follow each other. What a token
// is, and where a run of tokens ends, is for the caller to say (program_grams.h,
// statement_grams.h). The hashes are the same on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernelmill {

inline constexpr int kGramTokens = 5;

class GramSet {
 public:
  // A gram whose tokens all tell nothing is left out.
  void AddToken(std::string_view token, bool tells = true);
  // Grams do not reach beyond here. Fewer than five tokens since the last end are one gram.
  void EndRun();
  // Ends the run. Ascending, each gram once; nothing without tokens.
  std::vector<std::uint64_t> Take();

 private:
  void AddGram();

  std::vector<std::uint64_t> grams_;
  std::array<std::uint64_t, kGramTokens> last_{};
  std::size_t tokens_ = 0;  // Of this run.
  std::size_t telling_ = 0;  // The number, from 1, of the last token of this run that tells.
};

}  // namespace kernelmill
