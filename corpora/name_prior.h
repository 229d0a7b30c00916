// Default guesses for constructor arguments: the value that callers pass most often to a parameter
// of a given name, measured over public repositories. It is the last resort when the arguments of a
// mined module are guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

// A Python expression for the parameter, e.g. "512" for "dim"; nothing for an unknown name.
std::optional<std::string> PriorOf(std::string_view parameter);

}  // namespace kernelmill
