// Reads the compiler's messages about inline PTX that the executor does not run. BuildExtension()
// (extension_build.h) asks for it when a library does not compile.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// Whether the messages are about such PTX.
bool NamesUnrunPtx(std::string_view log);
// The messages with the name of the instruction, which clang gives as numbers.
std::string WithNamesOfPtx(std::string log);

}  // namespace kernelmill
