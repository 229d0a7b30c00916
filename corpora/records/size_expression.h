// Evaluates a tensor size that torch wrote as an expression of symbols: "s0", "4*s1", "(s2 - 1)//2
// + 1", "s1 % 8", "max(s0, 3)". Such sizes are in annotations (symbolic_shapes.h): the step "admit"
// checks them against the real sizes, and shape texts give their symbols other names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// Symbol -> its value.
using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

// Accepts integers, names, parentheses, + - * // % (floor division and remainder, as in Python),
// max(a, b) and min(a, b). kCorrupt when the text is malformed, uses an unknown name, divides by
// zero or overflows.
Result<std::int64_t> EvaluateSize(std::string_view expression, const SymbolValues& values);

// Whether the expression is a plain number.
bool IsPlainNumber(std::string_view expression);

// Replaces every symbol that is in `names` by its new name.
std::string RenameSymbols(std::string_view expression,
                          const std::map<std::string, std::string, std::less<>>& names);

}  // namespace kernelmill
