// What a design was chosen over: the alternative to each lowering strategy and what it would cost.
// Called by MappingStep() and AlternativesStep() (reasoning_steps.h).
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// A sentence about the alternative to the strategy; "" for a strategy without an entry.
std::string_view AlternativeTo(std::string_view strategy);

// The choice of a design reason as it reads in a sentence: "one block per row" for "a block a row".
std::string ChoiceInWords(const std::string& choice);

// A strategy in words: "one block per row". A strategy without an entry is named by its own words.
std::string DesignInWords(std::string_view strategy);

}  // namespace kernelmill
