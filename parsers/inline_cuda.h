// CUDA in the strings of a Python file, as torch.utils.cpp_extension.load_inline takes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/cuda_file.h"

namespace kernelmill {

// The strings that hold CUDA, as one file: its text has the lines of the Python file, and spaces
// for all that is no CUDA, so that line numbers hold for both. Its bindings are the functions that
// a call of load_inline names. Strings whose text is not what stands in the file (f-strings,
// escapes other than a backslash at the end of a line) are left out. Nothing when no string has a
// kernel.
std::optional<CudaFile> ReadInlineCuda(std::string_view python);

}  // namespace kernelmill
