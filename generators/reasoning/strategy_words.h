// Ways to say how a strategy divides the work.
#pragma once

#include <string>

#include "generators/wording/voice.h"

namespace kernelmill {

// Clauses of their own, beside the plan's sentence. {threads}: of a block; {inputs}: what the kernel
// reads, as code; {first}: the first of them. None for a strategy that nobody has words for.
const SentenceVariants& WordsOf(const std::string& strategy);

}  // namespace kernelmill
