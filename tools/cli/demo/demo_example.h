// Shows one generated task of a dataset as it appears in the row families, at the end of the
// command `demo`: the question, the answers for CUDA and MUSA, a bug, its review and its repair.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Text for a terminal about the first generated task in `dataset`; empty if there is none.
Result<std::string> ExampleText(const std::string& dataset);

}  // namespace kernelmill
