// Reads the undefined symbols of a built library: the operators of torch that its code can call,
// whether or not a run calls them, and functions that no kernel needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The undefined dynamic symbols, mangled. kCorrupt if the file is not an ELF file for x86-64.
Result<std::vector<std::string>> UndefinedSymbols(const std::string& path);

// "aten::mm" for at::_ops::mm::call and the like; empty for any other symbol.
std::string OperatorOfSymbol(std::string_view symbol);
// Whether the symbol belongs to loading libraries, processes, threads or vendor libraries, which no
// kernel needs.
bool IsForbiddenSymbol(std::string_view symbol);

}  // namespace kernelmill
