// Reads what a built library asks of other libraries: the functions that it imports, which show the
// operators of torch that its code can call whether or not a run calls them, and the libraries that
// are loaded with it. allowed_symbols.h says which of them an extension may import.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// A symbol that a library leaves to others, weak or not, a function or a variable.
struct ImportedSymbol {
  std::string name;  // Mangled.
  // The version that the linker found, and the file that defines it; empty for symbols of
  // libraries without versions, such as torch's.
  std::string version, library;
};

struct LibraryImports {
  std::vector<ImportedSymbol> symbols;
  // The type information that it defines itself, mangled: "_ZTI…" of each class with virtual
  // functions that it makes objects of, and of their bases, if torch leaves it to its users.
  std::vector<std::string> types;
  std::vector<std::string> libraries;  // The names under which others are loaded with it.
  // Whether it has a search path, an auditor or a filter of its own.
  bool changes_loading = false;
  // Whether a section of code holds a variable, or memory that is executed can be written. An
  // attribute places a variable there, and its bytes are then machine code that no compiler wrote.
  bool executes_data = false;
};

// kCorrupt if the file is not an ELF file for x86-64.
Result<LibraryImports> ImportsOf(const std::string& path);

// "aten::mm" for at::_ops::mm::call and the like; empty for any other symbol.
std::string OperatorOfSymbol(std::string_view symbol);

}  // namespace kernelmill
