// Uses of macros that define whole functions or variables: `DEFINE_ROTATION(rotate_three, 3)` on a
// line of its own, without a semicolon. The grammar takes two of them in a row for the head of a
// function and understands nothing up to the end of the file.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// The text with spaces in place of such uses, between functions, of macros that the text itself
// defines. Its length and its lines are unchanged.
std::string WithoutMacroItems(std::string_view source);

}  // namespace kernelmill
