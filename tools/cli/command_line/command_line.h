// The words that the program is called with, read against the table of commands.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace kernelmill {

// The work that `words` (without the program's name) ask for: a command's, or showing a help text
// or the version. kUsage says which word is wrong and which word is nearest to it.
Result<Action> ReadCommandLine(const std::vector<std::string>& words);

}  // namespace kernelmill
