// Formulas for one element of an operator's result.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// The formula of a row of the operator table: its scalar expression over a, b, c and the names of
// attributes, or its definition if it is not computed elementwise. Empty if neither fits on one
// line.
std::string FormulaOf(std::string_view op);
// A clause that completes the formula, such as "and the bias on top where there is one"; mostly
// empty.
std::string_view NoteOf(std::string_view op);

}  // namespace kernelmill
