// Which definitions of a translation unit a kernel needs, and which names it takes from elsewhere.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "stages/mine/translation_unit.h"

namespace kernelmill {

struct KernelClosure {
  std::vector<int> entries;       // Of the unit, ascending; with the kernel.
  std::set<std::string> missing;  // Names that nothing defines.
  std::set<std::string> toolkit;  // Names that the toolkit's headers define: "half", "std::min".
};

// The closure of the entry `kernel`. Nearest needs are taken first, until `lines` are full; names
// of what no longer fits are missing.
KernelClosure CloseOver(const TranslationUnit& unit, int kernel, std::int64_t lines);

}  // namespace kernelmill
