// Generates the scripts that complete the program's commands, options and values in a shell, for
// the command `completion`, from the table of commands and CLI11's data.
#pragma once

#include <string>
#include <vector>

namespace kernelmill {

// "bash", "fish", "zsh".
const std::vector<std::string>& CompletedShells();
// The script for one of them.
std::string CompletionScript(const std::string& shell);

}  // namespace kernelmill
