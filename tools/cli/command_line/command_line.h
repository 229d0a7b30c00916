// Parses the program's command line with the table of commands (tools/cli/command_table.h), for
// main: the result is the action of the command that was asked for, help and --version included.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace kernelmill {

// The action that `words` (without the program's name) request: that of a command, or showing a
// help text or the version. kUsage names the wrong word and the valid word nearest to it.
Result<Action> ReadCommandLine(const std::vector<std::string>& words);

}  // namespace kernelmill
