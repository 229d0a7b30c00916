// The parameters of a Python function, as written.
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
  SyntaxNode annotation;     // Absent when there is none.
  SyntaxNode default_value;  // Absent when it must be given.
  std::size_t first = 0;     // The whole parameter in the source.
  std::size_t last = 0;
};

// `function` is a function_definition or lambda; `self` is included.
std::vector<PythonParameter> ReadParameters(const SyntaxNode& function);

// The top-level class or function of that name, decorators stripped; absent when there is none.
SyntaxNode FindDefinition(const SyntaxNode& module, std::string_view name);
// The method of a class_definition, decorators stripped; the last one of that name.
SyntaxNode FindMethod(const SyntaxNode& class_node, std::string_view name);

// `code` without the bare "*" separator in the parameters of a method of `class_name` (its own or
// that of a base class in the same text), so that every argument can be passed by position.
std::string WithPositionalParameters(const std::string& code, std::string_view class_name,
                                     std::string_view method);
// The class of the same text whose constructor `class_name` runs; absent when torch's own does.
SyntaxNode FindConstructor(const SyntaxNode& module, std::string_view class_name);
// The method that `class_name` has or inherits within the same text.
SyntaxNode FindInherited(const SyntaxNode& module, std::string_view class_name,
                         std::string_view method);

}  // namespace kernelmill
