// The copies that PyTorch makes for an answer: a host function that gets a transposed view, or an
// input of the task that is not contiguous, and calls `.contiguous()` on it launches a copy, which
// is none of the answer's kernels and in no plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"

namespace kernelmill {

struct CopyingFunction {
  std::string name;
  bool of_input = false;  // It copies an input of the task, and not a view.
  std::int64_t bytes = 0;  // That the copy reads and writes; 0 where they are not known.
  friend bool operator==(const CopyingFunction&, const CopyingFunction&) = default;
};

// The host functions that do so, as the answer's text shows it, in the order of the calls.
std::vector<CopyingFunction> CopyingFunctions(const Candidate& answer, const Task& task,
                                              const Annotation& facts);

// The launches of one call with these copies; 0 if those of the kernels are not known.
std::int64_t LaunchesWithCopies(const Candidate& answer, const Task& task, const Annotation& facts);

}  // namespace kernelmill
