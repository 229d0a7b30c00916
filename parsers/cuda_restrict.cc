#include "parsers/cuda_restrict.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// __restrict__, __restrict, and macros such as C10_RESTRICT.
bool IsRestricted(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("restrict") != lower.npos;
}

}  // namespace

void FindReadOnlyParameters(const SyntaxNode& definition,
                            const std::function<void(std::string_view)>& found) {
  const SyntaxNode body = definition.Field("body");
  SyntaxNode declarator = definition.Field("declarator");
  while (declarator && !declarator.Is("function_declarator")) {
    declarator = declarator.Field("declarator");
  }
  if (!body || !declarator || !declarator.Field("parameters")) return;
  const std::string_view whole = definition.Text();
  if (!HoldsWord(whole.substr(0, declarator.First() - definition.First()), "__global__")) return;
  for (const SyntaxNode& parameter : declarator.Field("parameters").Children()) {
    const std::string_view text = parameter.Text();
    const std::size_t star = text.find('*');
    if (!parameter.Is("parameter_declaration") || star == text.npos || star != text.rfind('*')) {
      continue;
    }
    const std::string_view pointee = text.substr(0, star), own = text.substr(star + 1);
    if (!HoldsWord(pointee, "const") || HoldsWord(own, "const") || !IsRestricted(own)) continue;
    std::size_t name = own.size();
    while (name > 0 && IsNamePart(own[name - 1])) --name;
    if (name < own.size() && !IsRestricted(own.substr(name))) found(own.substr(name));
  }
}

}  // namespace kernelmill
