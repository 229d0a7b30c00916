// From an address in a loaded library to the line of source that it was compiled from, read from
// the library's own DWARF line program. Needs no other program: a sandbox may not start one.
#pragma once

#include <string>

namespace kernelmill {

struct SourceLine {
  std::string file;  // "" when nothing is known.
  int line = 0;
};

// Of the candidate's own sources: an instruction that was inlined from one of our or torch's
// headers counts for the last line before it that was not.
SourceLine LineOf(const void* address);

}  // namespace kernelmill
