// Reads a reference from a .py file that a user names on the command line of `answer` or `verify`.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// The text of the file. The error names the path if it is not a regular file, is longer than a
// reference may be, or is not text.
Result<std::string> ReadReference(const std::string& path);

}  // namespace kernelmill
