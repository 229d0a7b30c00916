// Sentence variants for how the kernels of each lowering strategy divide the work among threads.
// Called by MappingStep() (reasoning_steps.h).
#pragma once

#include <string>

#include "generators/wording/sentence_writer.h"

namespace kernelmill {

// Variants of a main clause that describes the mapping. Placeholders: {threads}, the threads of a
// block; {inputs}, the inputs that the kernel reads, as code; {first}, the first of them. Empty for
// a strategy without variants; the plan's own sentence serves then.
const SentenceVariants& MappingVariants(const std::string& strategy);

}  // namespace kernelmill
