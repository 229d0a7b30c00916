// Tests of single characters (digit, letter, part of an identifier), search for a word, and
// comparison of two words without regard to letter case, for all code that reads text by hand:
// parsers, template fillers, fact checks. Only ASCII counts, whatever the locale: bytes beyond ASCII
// are neither digits nor letters.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace kernelmill {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The characters of names in C, C++ and Python: the first one, and the others.
constexpr bool IsNameStart(char c) { return c == '_' || IsLetter(c); }
constexpr bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }
constexpr bool IsIdentifier(std::string_view name) {
  return !name.empty() && IsNameStart(name[0]) && std::all_of(name.begin(), name.end(), IsNamePart);
}

// Whether the text holds the word, with no other part of a name before or behind it.
inline bool HoldsWord(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsNamePart(text[at - 1])) && (end == text.size() || !IsNamePart(text[end]))) {
      return true;
    }
  }
  return false;
}

// Equality without regard to the case of ASCII letters, as for SPDX identifiers.
inline bool SameInAnyCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace kernelmill
