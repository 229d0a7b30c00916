// Finds the definitions of a translation unit that a kernel needs, directly or indirectly, and the
// names that are defined elsewhere.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "parsers/kernel_slices/translation_unit.h"

namespace kernelmill {

struct KernelClosure {
  std::vector<int> entries;       // Entries of the unit, ascending, with the kernel.
  // Names without a definition among `entries`: nothing defines them, or the limit left it out.
  std::set<std::string> missing;
  std::set<std::string> toolkit;  // Names that the toolkit's headers define: "half", "std::min".
};

// The closure of the entry `kernel`, found breadth first and limited to `lines` lines. The names of
// definitions that the limit leaves out are in `missing`. With `hosts`, also those host functions
// and what device code and types they name; other host functions that they call are left out.
KernelClosure CloseOver(const TranslationUnit& unit, int kernel, std::int64_t lines,
                        const std::vector<int>& hosts = {});

}  // namespace kernelmill
