// Finds code in a candidate's native sources that is not allowed, by the text alone. Other checks
// see what runs (the record of operators) or is linked (the library's symbols); the text gives the
// line, and covers code that cannot be built here.
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
// The same for one text, which findings call `file`.
std::vector<VerdictFinding> RefusedInText(std::string_view text, std::string_view file);

}  // namespace kernelmill
