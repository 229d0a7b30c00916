#include "stages/verify/build/demangled.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace kernelmill {

std::string Demangled(const std::string& symbol) {
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), std::free);
  return text != nullptr ? text.get() : symbol;
}

}  // namespace kernelmill
