#include "parsers/program_grams.h"

#include "parsers/gram_set.h"

namespace kernelmill {

std::vector<std::uint64_t> ProgramGrams(ProgramLanguage language, std::string_view text) {
  GramSet grams;
  ForEachProgramToken(language, text,
                      [&](const ProgramToken& token) { grams.AddToken(token.text); });
  return grams.Take();
}

}  // namespace kernelmill
