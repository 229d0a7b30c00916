// What a parameter's name alone says about its value, measured over public repositories: the values
// that people pass most often to parameters of that name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

// A Python expression for a constructor's parameter, e.g. "512" for "dim".
std::optional<std::string> PriorOf(std::string_view parameter);

}  // namespace kernelmill
