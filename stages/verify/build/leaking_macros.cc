#include "stages/verify/build/leaking_macros.h"

#include <algorithm>
#include <string_view>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && IsBlank(text[at])) ++at;
  return at;
}

// The names after "define" and "undef", wherever such a word follows "#".
std::vector<std::string_view> DefinedIn(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    std::string_view rest = text.substr(SkipBlanks(text, at + 1));
    const bool define = rest.starts_with("define"), undef = rest.starts_with("undef");
    if (!define && !undef) continue;
    rest.remove_prefix(define ? 6 : 5);
    const std::size_t first = SkipBlanks(rest, 0);
    std::size_t end = first;
    while (end < rest.size() && IsNamePart(rest[end])) ++end;
    if (first > 0 && end > first) names.push_back(rest.substr(first, end - first));
  }
  return names;
}

}  // namespace

bool MacrosLeak(const std::vector<std::string_view>& before,
                const std::vector<std::string_view>& after) {
  for (const std::string_view text : before) {
    for (const std::string_view name : DefinedIn(text)) {
      if (std::ranges::any_of(after, [&](std::string_view other) { return HoldsWord(other, name); })) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace kernelmill
