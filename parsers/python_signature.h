// Finds classes and their methods in the syntax tree of a Python module, and reads the parameters
// of functions. Mining calls it to guess the arguments of a module's constructor and of forward(),
// admission to repair them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct PythonParameter {
  enum class Kind { kPositional, kKeywordOnly, kRest, kKeywords };  // x, *, x / *args / **kwargs
  Kind kind = Kind::kPositional;
  std::string_view name;
  SyntaxNode annotation;     // Empty when there is none.
  SyntaxNode default_value;  // Empty when the argument is required.
  std::size_t first = 0;     // The byte range of the whole parameter in the source.
  std::size_t last = 0;
};

// `function` is a function_definition or lambda. `self` is included.
std::vector<PythonParameter> ReadParameters(const SyntaxNode& function);

// The class or function of that name at the top level, without its decorators; empty when there is
// none.
SyntaxNode FindDefinition(const SyntaxNode& module, std::string_view name);
// The last method of that name in a class_definition, without its decorators.
SyntaxNode FindMethod(const SyntaxNode& class_node, std::string_view name);

// `code` without the bare "*" separator in the parameters of a method of `class_name` (its own, or
// one of a base class in the same text), so that every argument can be passed by position.
std::string WithPositionalParameters(const std::string& code, std::string_view class_name,
                                     std::string_view method);
// The class in the same text that defines the constructor of `class_name`; empty when torch's
// constructor runs.
SyntaxNode FindConstructor(const SyntaxNode& module, std::string_view class_name);
// The method that `class_name` has or inherits, within the same text.
SyntaxNode FindInherited(const SyntaxNode& module, std::string_view class_name,
                         std::string_view method);

}  // namespace kernelmill
