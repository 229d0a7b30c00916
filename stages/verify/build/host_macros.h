// The macros by which a text could tell the executor's compiler from the one that nvcc hands host
// code to. Every build of a candidate begins with them, so that a conditional of the preprocessor
// chooses the same code in all of them, and on a machine with a device.
#pragma once

#include <string>

namespace kernelmill {

// Directives that make clang's macros those of gcc 12, as nvcc calls it for torch's extensions.
// `language`: that of -std=, "c++17" or "c++20".
std::string HostMacros(const std::string& language);

}  // namespace kernelmill
