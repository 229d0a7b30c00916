// Finds conditions of C++ host code that ask for more than the call gives: what they read is neither
// an argument, nor a size, dtype or layout of a tensor, nor an error code or a property of the
// target device, nor a constant. A condition that asks for anything else (a clock, a variable of the
// environment, what the machine has, a number that counts the calls in an object) is another way to
// a result, which no trial takes. It is a list of what may be asked: a function that it does not
// hold is refused.
//
// Followed are local variables, parameters that calls by address fill, members, and functions of the
// text. A condition whose branch only raises, prints or ends the program decides nothing. The legality
// rules for native text call it, as a Python file of the worker (legality/condition_sources.py) does
// the same for Python.
#pragma once

#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// Findings "fallback", one for each such condition.
std::vector<VerdictFinding> ConditionsOnTheUngiven(const SyntaxTree& tree, std::string_view file);

}  // namespace kernelmill
