// Tells which variables of a C++ text hold what Python gave to a function: parameters, and what is
// made of them. Those tensors are always on the device; one that the text makes itself may be on
// the host. device_branch.h excuses branches by it.
#pragma once

#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// The name at the start of an expression: "x" of "x.device()".
std::string_view LeadingName(std::string_view expression);

// Whether `name`, where `use` stands, is a parameter of the function around it or is made of one. A
// function of the text that others call with another tensor has no such parameter.
bool IsInputTensor(const SyntaxTree& tree, const SyntaxNode& use, std::string_view name);

}  // namespace kernelmill
