// Finds which code makes a memory access, from the instruction and the stack.
#pragma once

#include "stages/cuda_executor/runtime/line_table.h"

namespace kernelmill {

// The owner of the code at an address: torch, an extension, or a library that both call.
enum class CodeOwner { kExtension, kTorch, kLibrary };
CodeOwner OwnerOf(const void* instruction);

// The code that made an access.
struct Accessor {
  bool is_torch = false, is_extension = false;
  SourceLine line;  // The extension's line, if known.
};
// Finds the innermost stack frame of an extension or of torch. Functions like memcpy() act on
// behalf of their caller.
Accessor AccessorAt(const char* instruction);

}  // namespace kernelmill
