// Repairs of sizes, ranks and divisibility: of inputs first, of the constructor's integers where
// those are known less well.
#pragma once

#include <vector>

#include "corpora/records/module_candidate.h"
#include "stages/admit/mismatch.h"

namespace kernelmill {

// Each returns changed copies of `arguments`, likeliest first.
std::vector<ArgumentSet> SizeRepairs(const ArgumentSet& arguments, const SizeMismatch& mismatch,
                                     const Fault& fault);
std::vector<ArgumentSet> RankRepairs(const ArgumentSet& arguments, const RankMismatch& mismatch,
                                     const Fault& fault);
std::vector<ArgumentSet> DivisibilityRepairs(const ArgumentSet& arguments,
                                             const std::vector<Indivisible>& found);
// For a kernel that is larger than what it slides over.
std::vector<ArgumentSet> LargerRepairs(const ArgumentSet& arguments);
// For a task that costs too much.
std::vector<ArgumentSet> SmallerRepairs(const ArgumentSet& arguments);

}  // namespace kernelmill
