// Replaces words of a row's text by the synonyms that the row prefers: one row says "axis" and
// "doesn't" throughout, another "dimension" and "does not". Called by SentenceWriter::Say().
#pragma once

#include <string>
#include <string_view>

#include "generators/wording/wording.h"

namespace kernelmill {

// `text` with each word that has synonyms replaced by the one that `wording` chooses for the row.
// Text in backticks or braces stays as it is.
std::string ReplaceSynonyms(const Wording& wording, std::string_view text);

}  // namespace kernelmill
