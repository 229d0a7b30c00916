// Finds uses of __FILE__ that a build could decide by: the folder of a build differs between
// machines. A text may print it, or raise with it.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Findings of kind "fallback" for each use of the name of a source's file that is no part of a
// message: an argument of a function that prints or raises, by way of the text's own functions and
// macros, or what goes to a stream.
std::vector<VerdictFinding> FileNameUses(const SyntaxTree& tree, std::string_view file);

}  // namespace kernelmill
