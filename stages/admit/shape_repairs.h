// Proposes changed arguments for a mined module that failed because of a size, a rank or
// divisibility (mismatch.h). They change inputs, or integers of the constructor if these have
// weaker evidence. Called by ProposeRepairs() (repair.h).
#pragma once

#include <vector>

#include "corpora/records/mined_module.h"
#include "stages/admit/mismatch.h"

namespace kernelmill {

// All return changed copies of `arguments`, likeliest first.
std::vector<ArgumentSet> SizeRepairs(const ArgumentSet& arguments, const SizeMismatch& mismatch,
                                     const Fault& fault);
std::vector<ArgumentSet> RankRepairs(const ArgumentSet& arguments, const RankMismatch& mismatch,
                                     const Fault& fault);
std::vector<ArgumentSet> DivisibilityRepairs(const ArgumentSet& arguments,
                                             const std::vector<Indivisible>& found);
// Larger inputs, for a convolution kernel that is larger than its input.
std::vector<ArgumentSet> LargerRepairs(const ArgumentSet& arguments);
// Smaller inputs, for a task that costs too much.
std::vector<ArgumentSet> SmallerRepairs(const ArgumentSet& arguments);

}  // namespace kernelmill
