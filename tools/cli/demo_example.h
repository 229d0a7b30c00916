// One generated task of a dataset on its way through all families: asked, answered for CUDA and
// MUSA, broken, reviewed and repaired.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Text for a terminal, of the first generated task in `dataset`; empty where there is none.
Result<std::string> ExampleText(const std::string& dataset);

}  // namespace kernelmill
