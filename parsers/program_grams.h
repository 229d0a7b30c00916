// The text of a program as a set of grams (gram_set.h): what near duplicates are found by
// (corpora/duplicates/near_duplicates.h). statement_grams.h compares tasks with those of benchmarks.
// Programs that differ only in formatting, comments and docstrings have the same set.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "parsers/program_tokens.h"

namespace kernelmill {

// The hashes of the program's grams, ascending, each once. A program of fewer than five tokens
// has one gram of all of them; one without tokens has none.
std::vector<std::uint64_t> ProgramGrams(ProgramLanguage language, std::string_view text);

}  // namespace kernelmill
