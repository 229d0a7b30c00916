// Templates of kernel text, and lists of parameters broken into lines.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

using Holes = std::map<std::string, std::string, std::less<>>;

// Replaces each "@name@". A hole alone on its line passes its indentation to every line of its
// value; an empty value removes the line. A hole without a value is a broken invariant.
std::string Fill(std::string_view text, const Holes& holes);

// Whether C++ text uses an identifier.
bool UsesName(std::string_view code, std::string_view identifier);

// A parameter of a kernel and what its launch passes for it.
struct LaunchParameter {
  std::string type;  // "const float*"
  std::string name;
  std::string argument;
};

// The parameters that `body` uses, in their order.
std::vector<LaunchParameter> UsedParameters(const std::vector<LaunchParameter>& parameters,
                                            std::string_view body);

// "prefix(item, item)" in lines of at most 100 columns.
std::string CallText(std::string_view prefix, const std::vector<std::string>& items,
                     std::string_view suffix);
std::string SignatureText(std::string_view prefix, const std::vector<LaunchParameter>& parameters,
                          std::string_view suffix);
std::string LaunchText(std::string_view prefix, const std::vector<LaunchParameter>& parameters);

// A comment of C++ in lines of at most 100 columns; empty for an empty text.
std::string CommentText(const std::string& text);

// Breaks statements of more than 100 columns after an operator or a comma.
std::string WrapLines(std::string_view code);

std::string Join(const std::vector<std::string>& items, std::string_view separator);

}  // namespace kernelmill
