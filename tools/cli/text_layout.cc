#include "tools/cli/text_layout.h"

#include <algorithm>
#include <cstdint>

namespace kernelmill {
namespace {

// The bytes of the character at `start`.
std::size_t BytesOfCharacter(std::string_view text, std::size_t start) {
  std::size_t end = start + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - start;
}

std::uint32_t CodePoint(std::string_view character) {
  std::uint32_t point = static_cast<unsigned char>(character[0]);
  if (character.size() > 1) point &= 0xFFU >> (character.size() + 1);
  for (std::size_t i = 1; i < character.size(); ++i) {
    point = (point << 6) | (static_cast<unsigned char>(character[i]) & 0x3F);
  }
  return point;
}

// Characters with Unicode's EastAsianWidth W or F take two columns, and combining marks take none.
std::size_t ColumnsOfCharacter(std::string_view character) {
  const std::uint32_t point = CodePoint(character);
  if (point >= 0x300 && point < 0x370) return 0;
  const bool wide = (point >= 0x1100 && point < 0x1160) || (point >= 0x2E80 && point < 0xA4D0) ||
                    (point >= 0xAC00 && point < 0xD7A4) || (point >= 0xF900 && point < 0xFB00) ||
                    (point >= 0xFE30 && point < 0xFE70) || (point >= 0xFF00 && point < 0xFF61) ||
                    (point >= 0x1F300 && point < 0x1FB00) || (point >= 0x20000 && point < 0x3FFFE);
  return wide ? 2 : 1;
}

// The indentation of a line and the bars in it: "  │     ".
std::string_view Margin(std::string_view line) {
  constexpr std::string_view kBar = "│";
  std::size_t end = 0;
  while (end < line.size()) {
    if (line[end] == ' ') {
      ++end;
    } else if (line.substr(end).starts_with(kBar)) {
      end += kBar.size();
    } else {
      break;
    }
  }
  return line.substr(0, end);
}

// The number of bytes of the longest prefix of `text` that fits, at least one character. The prefix
// ends after a space if there is one.
std::size_t FittingBytes(std::string_view text, std::size_t columns) {
  std::size_t used = 0, end = 0, behind_space = 0;
  while (end < text.size()) {
    const std::size_t size = BytesOfCharacter(text, end);
    used += ColumnsOfCharacter(text.substr(end, size));
    if (used > columns && end > 0) return behind_space > 0 ? behind_space : end;
    end += size;
    if (text[end - 1] == ' ') behind_space = end;
  }
  return end;
}

std::string WithoutTrailingSpaces(std::string_view text) {
  return std::string(text.substr(0, text.find_last_not_of(' ') + 1));
}

}  // namespace

std::size_t ColumnsOf(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = BytesOfCharacter(text, i);
    columns += ColumnsOfCharacter(text.substr(i, size));
    i += size;
  }
  return columns;
}

std::string Paragraphs(std::string_view text, std::size_t columns, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string laid_out, line;
  const auto end_line = [&] {
    if (!line.empty()) laid_out += margin + line + "\n";
    line.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("\n\n")) {
      end_line();
      laid_out += "\n";
      i += 2;
      continue;
    }
    if (text[i] == ' ' || text[i] == '\n') {
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", i), text.size());
    const std::string_view word = text.substr(i, end - i);
    if (!line.empty() && indent + ColumnsOf(line) + 1 + ColumnsOf(word) > columns) end_line();
    line.append(line.empty() ? "" : " ").append(word);
    i = end;
  }
  end_line();
  return laid_out;
}

std::string WithShortLines(std::string_view text, std::size_t columns) {
  std::string short_lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view rest = text.substr(start, end - start);
    std::string_view margin = Margin(rest);
    rest.remove_prefix(margin.size());
    std::string shown(margin);
    // If the indentation takes more than half of the columns, continuation lines do not repeat it.
    if (ColumnsOf(margin) > columns / 2) margin = margin.substr(0, 0);
    do {
      const std::size_t room = columns - std::min(columns - 1, ColumnsOf(shown));
      const std::size_t fits = FittingBytes(rest, room);
      short_lines += shown + WithoutTrailingSpaces(rest.substr(0, fits)) + "\n";
      rest.remove_prefix(fits);
      shown = margin;
    } while (!rest.empty());
    start = end + 1;
  }
  return short_lines;
}

}  // namespace kernelmill
