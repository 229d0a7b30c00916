// Generates the texts that --help and the command `help` show, of the program or of one command,
// from the table of commands and CLI11's data.
#pragma once

#include <string>

#include "tools/cli/command.h"
#include "tools/cli/terminal.h"

namespace kernelmill {

// The help of the program: what it is, its commands by group, and its exit codes.
std::string TopHelp(const Terminal& terminal);
// The help of a command: what it is for, its options by group, and examples.
std::string CommandHelp(const Command& command, const Terminal& terminal);

}  // namespace kernelmill
