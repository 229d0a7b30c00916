// The copies that PyTorch makes for an answer: a host function that gets a transposed view and
// calls
// `.contiguous()` on it launches a copy, which is none of the answer's kernels and in no plan.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/candidate.h"

namespace kernelmill {

// The host functions that do so, as the answer's text shows it, in the order of the calls.
std::vector<std::string> CopyingFunctions(const Candidate& answer);

}  // namespace kernelmill
