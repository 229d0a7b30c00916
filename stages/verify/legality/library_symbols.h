// What a built library takes from others: the operators of torch that its code can call, whether or
// not a run calls them, and functions that no kernel needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The undefined dynamic symbols of an ELF file for x86-64, mangled. kCorrupt when it is none.
Result<std::vector<std::string>> UndefinedSymbols(const std::string& path);

// "aten::mm" for at::_ops::mm::call and its kin; empty for any other symbol.
std::string OperatorOfSymbol(std::string_view symbol);
// Whether no kernel needs it: loading libraries, processes, threads, vendor libraries.
bool IsForbiddenSymbol(std::string_view symbol);

}  // namespace kernelmill
