// Finds the CUDA source in the strings of a Python file, as torch.utils.cpp_extension.load_inline
// takes it. The step "read" calls it for the Python files of repositories, and perturbation for
// answers, whose kernels are such strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/cuda_file.h"

namespace kernelmill {

// The strings with CUDA source as one file. Its text has the lines of the Python file, with spaces
// in place of everything else, so that line numbers are those of the Python file. Its bindings are
// the functions that calls of load_inline name. Strings whose value differs from the source text
// are left out (f-strings, escapes other than a backslash at the end of a line). std::nullopt when
// no string has a kernel.
std::optional<CudaFile> ReadInlineCuda(std::string_view python);

// Whether a string looks like native source: it has a word that only such source has.
bool HoldsNativeSource(std::string_view text);

}  // namespace kernelmill
