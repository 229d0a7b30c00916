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
  std::set<std::string> missing;  // Names that are not defined.
  std::set<std::string> toolkit;  // Names that the toolkit's headers define: "half", "std::min".
};

// The closure of the entry `kernel`, found breadth first and limited to `lines` lines. The names of
// definitions beyond the limit are in `missing`.
KernelClosure CloseOver(const TranslationUnit& unit, int kernel, std::int64_t lines);

}  // namespace kernelmill
