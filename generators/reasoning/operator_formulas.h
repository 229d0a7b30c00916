// What one element of an operator's result is, as an expression.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// Of a row of the operator table: its scalar expression over a, b, c and the names of attributes,
// or, where elements are not computed one by one, the definition; empty where neither is on one
// line.
std::string FormulaOf(std::string_view op);
// A clause that completes it: "and the bias on top where there is one"; mostly empty.
std::string_view NoteOf(std::string_view op);

}  // namespace kernelmill
