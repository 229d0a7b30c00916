// The names of C++ behind the symbols of libraries and of device code.
#pragma once

#include <string>

namespace kernelmill {

// "f(int)" for "_Z1fi"; the symbol itself if it is no mangled name.
std::string Demangled(const std::string& symbol);

}  // namespace kernelmill
