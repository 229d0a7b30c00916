// Text functions for generated code, used by all lowering strategies and by checks: FillHoles()
// replaces the "@name@" holes of a template, others write the parameters of a kernel and its call,
// and break long lines.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

using Holes = std::map<std::string, std::string, std::less<>>;

// Replaces each "@name@" by its value. A hole that is alone on its line passes its indentation to
// every line of its value, and an empty value removes the line. Every hole must have a value.
std::string FillHoles(std::string_view text, const Holes& holes);

// Whether the C++ text uses the identifier.
bool UsesName(std::string_view code, std::string_view identifier);
// `code` with another identifier in the place of `identifier`.
std::string ReplaceName(std::string_view code, std::string_view identifier, std::string_view by);

// A parameter of a kernel with the argument that its launch passes.
struct LaunchParameter {
  std::string type;  // "const float*"
  std::string name;
  std::string argument;
};

// The parameters that `body` uses, in their original order.
std::vector<LaunchParameter> UsedParameters(const std::vector<LaunchParameter>& parameters,
                                            std::string_view body);

// "prefix(item, item)suffix" in lines of at most 100 columns.
std::string CallText(std::string_view prefix, const std::vector<std::string>& items,
                     std::string_view suffix);
std::string SignatureText(std::string_view prefix, const std::vector<LaunchParameter>& parameters,
                          std::string_view suffix);
std::string LaunchText(std::string_view prefix, const std::vector<LaunchParameter>& parameters);

// `text` as a C++ comment in lines of at most 100 columns; empty for an empty text.
std::string CommentText(const std::string& text);

// Breaks statements of more than 100 columns after an operator or a comma.
std::string WrapLines(std::string_view code);

std::string Join(const std::vector<std::string>& items, std::string_view separator);

}  // namespace kernelmill
