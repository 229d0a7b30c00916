// Questions that several rules on native text ask of its syntax: which function a node lies in,
// whether that is host code, and which variable a declarator declares.
#pragma once

#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// The variable of a declarator: "x" of "const T& x = y"; "" if it declares none.
std::string_view DeclaredBy(SyntaxNode declarator);

// Whether one of the node's own words is this one: "static" of a declaration.
bool HasWord(const SyntaxNode& node, std::string_view word);

// The definition of a function that the node lies in.
SyntaxNode FunctionAround(SyntaxNode node);

// Whether a function may be one of a backward pass, by its name.
bool IsBackwardName(std::string_view name);

// Whether a function is only for a device.
bool IsOnDevice(const SyntaxNode& function);

}  // namespace kernelmill
