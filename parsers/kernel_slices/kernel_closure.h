// Finds the definitions of a translation unit that a kernel needs, and the names that it takes from
// elsewhere.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "parsers/kernel_slices/translation_unit.h"

namespace kernelmill {

struct KernelClosure {
  std::vector<int> entries;       // Of the unit, ascending, including the kernel.
  std::set<std::string> missing;  // Names that are not defined.
  std::set<std::string> toolkit;  // Names that the toolkit's headers define: "half", "std::min".
};

// The closure of the entry `kernel`, breadth first, of at most `lines` lines. The names of definitions
// that no longer fit are missing.
KernelClosure CloseOver(const TranslationUnit& unit, int kernel, std::int64_t lines);

}  // namespace kernelmill
