// Generates the manual page kernelmill(1), for the command `man`, in roff with the man macros, from
// the table of commands and CLI11's data.
#pragma once

#include <string>

namespace kernelmill {

std::string ManualPage();

}  // namespace kernelmill
