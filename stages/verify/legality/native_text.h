// What the native sources of a candidate do that no kernel needs, by their text. What runs is seen
// by other means too (the record of operators, the symbols of the library); this one names the
// line, and sees what cannot be built here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/build/extension.h"

namespace kernelmill {

// Kinds: "torch_compute", "foreign_compute", "vendor_library", "forbidden_symbol". In order of
// files and lines.
std::vector<VerdictFinding> RefusedInSources(const ExtensionSources& sources);
// The same as RefusedInSources() for one text, which diagnostics call `file`.
std::vector<VerdictFinding> RefusedInText(std::string_view text, std::string_view file);

}  // namespace kernelmill
