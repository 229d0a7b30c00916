// The part of a reference that its answers take over: everything that creates the parameters, in
// the same order from the same random numbers, and nothing that computes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

struct ReferenceShell {
  std::string imports;      // Those that are needed, beyond torch and torch.nn; a line each.
  std::string definitions;  // Classes without what only forward() runs, functions, constants.
  std::string bases;        // Of Model: "nn.Module".
  std::string members;      // Of Model, indented as there, without forward(); may be empty.
  std::vector<std::string> arguments;  // Of forward(), so many as it is given.
};

// `code`: a task. Nothing where there is no class Model whose forward() takes `arguments`
// positional ones; a forward() that it inherits from torch takes them as they are given.
std::optional<ReferenceShell> ShellOf(const std::string& code, std::size_t arguments);

}  // namespace kernelmill
