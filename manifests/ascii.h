// Classes of ASCII characters, independent of the locale. Bytes beyond ASCII are in no class.
#pragma once

namespace kernelmill {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// A letter, a digit or an underscore.
constexpr bool IsWordCharacter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace kernelmill
