// Uses of macros that define whole functions or variables: `DEFINE_ROTATION(rotate_three, float, 3)`
// on a line of its own, without a semicolon. The grammar takes two of them in a row for the head of
// a function and understands nothing up to the end of the file.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// The text with spaces in place of such uses, where functions are defined, of macros that the text
// itself defines to end in } or ;. Its length and its lines are unchanged. A use stays if its
// arguments hold statements, launches or qualifiers, which other parsers look for.
std::string WithoutMacroItems(std::string_view source);

}  // namespace kernelmill
