// The mistake of a mutant in words: what its class says, and what the code at hand says.
#pragma once

#include <string>

#include "generators/task_rows/mutant_facts.h"
#include "generators/wording/voice.h"

namespace kernelmill {

// A clause.
std::string CauseInWords(const MutantFacts& facts, Voice* voice);
// An imperative.
std::string RemedyInWords(const MutantFacts& facts, Voice* voice);

}  // namespace kernelmill
