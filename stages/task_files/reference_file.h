// One reference in a file of its own, as a user names it on the command line.
#pragma once

#include <string>

#include "manifests/status.h"

namespace kernelmill {

// The text of a .py file. Refused, naming it, where it is no file, longer than a reference may be,
// or no text.
Result<std::string> ReadReference(const std::string& path);

}  // namespace kernelmill
