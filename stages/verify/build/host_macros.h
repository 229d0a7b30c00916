// The macros by which a text could tell the executor's compiler from the one that nvcc hands host
// code to. Every build of a candidate begins with them, so that a conditional of the preprocessor
// chooses the same code in all of them, and on a machine with a device.
#pragma once

#include <string>

namespace kernelmill {

// The name, beside the library that runs, of what is built of the same text without __CUDA_ARCH__,
// as host code is for a device. It is there if the text can tell the two apart, and never runs: the
// rules for the symbols of a library hold for both.
inline constexpr char kHostLibrary[] = "host.so";

// Directives that make clang's macros those of gcc 12, as nvcc calls it for torch's extensions.
std::string HostMacros();

}  // namespace kernelmill
