// The table of all commands of the program, and the former names of commands and options. The
// command line, the help, the shell completion and the manual page are made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.h"

namespace kernelmill {

// In the order of the program's help: group by group, with the commands for newcomers first.
const std::vector<Command>& AllCommands();
// nullptr when there is no such command.
const Command* FindCommand(std::string_view name);

// The heading of a group: "Build a dataset".
std::string_view GroupTitle(CommandGroup group);

// A public name that has changed. Using the old name is an error that mentions the new one.
struct RenamedWord {
  std::string_view command;  // The command whose option it is; empty for the name of a command.
  std::string_view old_name;
  std::string_view new_name;
};
const std::vector<RenamedWord>& RenamedWords();

}  // namespace kernelmill
