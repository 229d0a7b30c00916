// Every command of the program, and the names that commands and options had before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.h"

namespace kernelmill {

// In the order of the top help: group by group, the first steps of a newcomer first.
const std::vector<Command>& AllCommands();
// nullptr when there is no such command.
const Command* FindCommand(std::string_view name);

// The heading of a group: "Build a dataset".
std::string_view GroupTitle(CommandGroup group);

// A public name that has changed. Giving the old one is an error that names the new one.
struct RenamedWord {
  std::string_view command;  // Whose option it is; empty for the name of a command.
  std::string_view old_name;
  std::string_view new_name;
};
const std::vector<RenamedWord>& RenamedWords();

}  // namespace kernelmill
