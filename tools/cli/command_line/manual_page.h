// The manual page kernelmill(1), in roff with the man macros, made from the table of commands and
// from CLI11's data.
#pragma once

#include <string>

namespace kernelmill {

std::string ManualPage();

}  // namespace kernelmill
