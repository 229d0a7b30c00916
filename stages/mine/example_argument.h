// Makes up Python expressions for constructor parameters of which only the annotation and the name
// are known. GuessArguments() (arguments.h) uses it when neither the repository nor the evaluation
// shows a value. `module` is the syntax tree of the slice, which may define the annotated class.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/syntax_tree.h"

namespace kernelmill {

// A construction of the class that the annotation names, if `module` defines it and its own
// parameters can be filled: `Config()`, `Config(hidden_size=512)`, `Mode.FIRST`.
std::optional<std::string> ConstructionOf(std::string_view annotation, const SyntaxNode& module);

// A plain value that fits the annotation, or that a parameter of that name may take.
std::string FallbackOf(std::string_view name, std::string_view annotation);

}  // namespace kernelmill
