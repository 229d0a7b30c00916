// The texts behind --help.
#pragma once

#include <string>

#include "tools/cli/command.h"
#include "tools/cli/terminal.h"

namespace kernelmill {

// What the program is, its commands by group, and its exit codes.
std::string TopHelp(const Terminal& terminal);
// A command: what it is for, its options by group, and examples.
std::string CommandHelp(const Command& command, const Terminal& terminal);

}  // namespace kernelmill
