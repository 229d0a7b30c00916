// Finds the source line that an address in a loaded extension was compiled from, by reading the
// library's own DWARF line program; faults and findings name that line. It starts no other program,
// because the sandbox does not allow that.
#pragma once

#include <string>

namespace kernelmill {

struct SourceLine {
  std::string file;  // Empty if unknown.
  int line = 0;
};

// A line of the candidate's own sources. An instruction that was inlined from a header of the
// executor or of torch is attributed to the last preceding line that was not.
SourceLine LineOf(const void* address);

}  // namespace kernelmill
