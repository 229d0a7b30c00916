#include "manifests/printable.h"

#include <cstdint>

namespace kernelmill {
namespace {

struct Range {
  std::uint32_t first, last;
};
// Control characters (category Cc), bidirectional controls, characters without a glyph, which can
// hide a difference between two names, and noncharacters, which XML forbids.
constexpr Range kHidden[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c},   {0x115f, 0x1160},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
};

bool IsHidden(std::uint32_t point) {
  for (const Range& range : kHidden) {
    if (point >= range.first && point <= range.last) return true;
  }
  return false;
}

// The length in bytes of the well-formed character at the start of `text`, which is not empty; 0
// when it is malformed. Source: table 3-7 of the Unicode standard.
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool second = (lead != 0xe0 || byte(1) >= 0xa0) && (lead != 0xed || byte(1) < 0xa0);
    return second && follows(1) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool second = (lead != 0xf0 || byte(1) >= 0x90) && (lead != 0xf4 || byte(1) < 0x90);
    return second && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::uint32_t Decode(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  if (character.size() == 1) return byte(0);
  std::uint32_t point = byte(0) & (0x7fu >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) point = point << 6 | (byte(i) & 0x3f);
  return point;
}

void AppendUnit(std::uint32_t unit, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  *out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) *out += kDigits[unit >> shift & 0xf];
}

void AppendEscaped(std::uint32_t point, std::string* out) {
  if (point < 0x10000) return AppendUnit(point, out);
  AppendUnit(0xd800 + ((point - 0x10000) >> 10), out);
  AppendUnit(0xdc00 + ((point - 0x10000) & 0x3ff), out);
}

std::string Clean(std::string_view text, bool one_line, std::size_t limit) {
  std::string clean;
  while (!text.empty()) {
    if (clean.size() >= limit) return clean + "…";
    const std::size_t length = CharacterLength(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    if (length == 0) {
      clean += "\xef\xbf\xbd";
    } else if (const std::uint32_t point = Decode(character);
               IsHidden(point) && (one_line || (point != '\n' && point != '\t'))) {
      AppendEscaped(point, &clean);
    } else {
      clean += character;
    }
  }
  return clean;
}

}  // namespace

std::string Printable(std::string_view text) { return Clean(text, false, std::string::npos); }

std::string PrintableLine(std::string_view text, std::size_t limit) {
  return Clean(text, true, limit);
}

std::string ForShell(std::string_view path) {
  if (path.find_first_of(" \t\n'\"\\$`*?[]#~&;|<>(){}!") == std::string_view::npos) {
    return std::string(path);
  }
  std::string quoted = "'";
  for (char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace kernelmill
