// Which of several words for the same thing a text uses: one author says "axis" and "doesn't",
// another "dimension" and "does not". Every row has a vocabulary of its own and keeps to it.
#pragma once

#include <string>
#include <string_view>

#include "generators/wording/wording.h"

namespace kernelmill {

// `text` in the vocabulary that `wording` decides. What stands in backticks or braces stays.
std::string InVocabularyOf(const Wording& wording, std::string_view text);

}  // namespace kernelmill
