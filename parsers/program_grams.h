// The text of a program as a set of grams, which are runs of five tokens: what near duplicates are
// found by (corpora/duplicates/near_duplicates.h), and texts that overlap with a benchmark.
// Programs that differ only in formatting, comments and docstrings have the same set.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "parsers/program_tokens.h"

namespace kernelmill {

inline constexpr int kGramTokens = 5;

// The hashes of the program's grams, ascending, each once. A program of fewer tokens has one gram
// of all of them; one without tokens has none. The hashes are the same on every machine.
std::vector<std::uint64_t> ProgramGrams(ProgramLanguage language, std::string_view text);

}  // namespace kernelmill
