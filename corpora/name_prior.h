// Default guesses for the constructor arguments of mined modules: the value that callers pass most
// often to a parameter of a given name, measured over public repositories. Mining and admission ask
// for it as the last resort, when neither a call nor a default nor an annotation tells the
// argument.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

// A Python expression for the parameter, e.g. "512" for "dim"; nothing for an unknown name.
std::optional<std::string> MostCommonArgumentOf(std::string_view parameter);

}  // namespace kernelmill
