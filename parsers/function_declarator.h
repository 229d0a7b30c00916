// Finds what a definition of a C++ function declares, for the readers of kernels and the legality
// checks of answers.
#pragma once

#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// The declarator with the parameters of a function_definition, under pointers, references and
// parentheses; empty when there is none.
SyntaxNode DeclaratorOfFunction(const SyntaxNode& definition);
// The name that it declares, with its qualifiers; empty when there is none.
std::string_view NameOfFunction(const SyntaxNode& definition);

}  // namespace kernelmill
