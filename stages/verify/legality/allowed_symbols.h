// Says which functions and variables of other libraries an extension may import: those of the
// executor, those of torch that allocate, view, check and describe tensors, and those of the C and
// C++ libraries that compute on memory of the program itself, raise errors and print. Anything else
// is refused, whatever it does: clocks, threads, processes, files, signals, memory mappings, loaded
// libraries, vendor libraries, operators that are called past torch's dispatcher. Classes with
// virtual functions have a list of their own: their type information shows what an extension derives
// from, and torch would call such functions while its operators have device memory open.
//
// The boundary: this ends calls by name. Native code can also compute the address of any
// instruction that its process has mapped, and no search of its text or of its bytes can rule that
// out (0f 05, a system call, may be part of any constant). What such code could reach must be
// closed from outside of the process: system calls by seccomp
// (stages/untrusted/system_call_table.h), results by the judge. Constructors and the resolvers of
// ifunc run as the library is loaded, with no other rights than a function that is called later.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stages/verify/legality/library_symbols.h"

namespace kernelmill {

// What the library imports and must not, in words; nothing if all is allowed.
std::optional<std::string> ForbiddenImport(const LibraryImports& imports);

// Whether an extension may import the symbol.
bool IsAllowedImport(const ImportedSymbol& symbol);

// The name of the C++ function or variable without what follows its first template argument:
// "c10::detail::torchCheckFail", "at::TensorBase::data_ptr"; "c10::operator" for an operator of the
// namespace. The symbol itself if it is no mangled name, empty if the name starts with something
// else.
std::string ScopedNameOf(std::string_view symbol);

}  // namespace kernelmill
