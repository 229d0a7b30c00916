// The shell of a reference that an answer takes over: everything that creates the parameters, in
// the same order from the same random numbers, and nothing that computes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

struct ReferenceShell {
  std::string imports;  // Required imports other than torch and torch.nn, one per line.
  // Functions, constants, and classes without methods that only forward() uses.
  std::string definitions;
  std::string bases;        // Of Model: "nn.Module".
  std::string members;      // Of Model, with their indentation, without forward(); may be empty.
  std::vector<std::string> forward_names;  // The names of the arguments that forward() is given.
};

// `code` is a task's text. std::nullopt when it has no class Model whose forward() takes
// `forward_arguments` positional arguments. A forward() inherited from torch is assumed to take
// them.
std::optional<ReferenceShell> ShellOf(const std::string& code, std::size_t forward_arguments);

}  // namespace kernelmill
