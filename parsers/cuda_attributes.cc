#include "parsers/cuda_attributes.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLongestRawDelimiter = 16;  // Limit of the C++ standard.
constexpr std::size_t kLongestArgument = 4096;    // Of an attribute. Real ones have a few words.

// One past the parenthesis that closes the one at `at`; `at` if it is not closed.
std::size_t SkipParentheses(std::string_view source, std::size_t at) {
  const std::string_view text = source.substr(0, at + kLongestArgument);
  int depth = 0;
  for (std::size_t i = at; i < text.size();) {
    const std::size_t opaque = SkipCommentOrLiteral(text, i);
    if (opaque > i) {
      i = opaque;
      continue;
    }
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
    ++i;
  }
  return at;
}

std::size_t SkipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

// Attributes with an argument that the grammar parses by itself.
bool IsKnownAttribute(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "__align__",      "__cluster_dims__", "__maxnreg__",      "__launch_bounds__",
      "__block_size__", "__musa_align__",   "__minnctapersm__", "__attribute__"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Whether the name of a macro suggests that it expands to specifiers: HOST_DEVICE,
// C10_LAUNCH_BOUNDS_1.
bool IsSpecifierMacro(std::string_view name) {
  if (name.size() < 4 ||
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); })) {
    return false;
  }
  static constexpr std::array<std::string_view, 10> kParts = {
      "DEVICE", "INLINE", "LAUNCH_BOUNDS", "GLOBAL_FUNC", "HOSTDEV",
      "_API",   "EXPORT", "QUALIFIER",     "KERNEL_ATTR", "_HD"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

}  // namespace

void Blank(std::string* text, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if ((*text)[i] != '\n') (*text)[i] = ' ';
  }
}

std::string_view WordAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  if (end < text.size() && IsNameStart(text[end])) {
    while (end < text.size() && IsNamePart(text[end])) ++end;
  }
  return text.substr(at, end - at);
}

std::string WithoutAlignments(std::string_view text, Alignments which) {
  static constexpr std::array<std::string_view, 10> kSpecifiers = {
      "__shared__", "__device__", "__constant__", "__managed__", "static",
      "extern",     "volatile",   "const",        "constexpr",   "inline"};
  const auto contains = [](const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const auto is_meant = [&](std::string_view word, std::string_view before) {
    if (which == Alignments::kLate) return word == "alignas" && contains(kSpecifiers, before);
    return contains(std::array<std::string_view, 3>{"__align__", "alignas", "__attribute__"}, word);
  };
  std::string blanked(text);
  std::string_view before;  // The word before, if only space lies between.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t opaque = SkipCommentOrLiteral(text, at);
    const std::size_t space = SkipSpace(text, at);
    if (opaque > at || space > at) {
      at = std::max(opaque, space);
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && IsNamePart(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::size_t open = SkipSpace(text, end);
    const bool has_argument = open < text.size() && text[open] == '(';
    const std::size_t closed =
        has_argument && is_meant(word, before) ? SkipParentheses(text, open) : open;
    if (closed > open) {
      end = closed;
      Blank(&blanked, at, end);
    } else {
      before = word;
    }
    at = std::max(end, at + 1);
  }
  return blanked;
}

std::size_t SkipCommentOrLiteral(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const auto end_at = [&](std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? text.size() : found + length;
  };
  if (rest.starts_with("//")) return end_at(text.find('\n', at), 0);
  if (rest.starts_with("/*")) return end_at(text.find("*/", at + 2), 2);
  if (rest.starts_with("R\"") && (at == 0 || !IsNamePart(text[at - 1]))) {
    const std::size_t offset = rest.substr(0, kLongestRawDelimiter + 3).find('(');
    if (offset == std::string_view::npos) return at;
    const std::size_t open = at + offset;
    const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
    return end_at(text.find(close, open), close.size());
  }
  const char quote = rest.empty() ? '\0' : rest[0];
  if (quote != '"' && (quote != '\'' || (at > 0 && IsNamePart(text[at - 1])))) return at;
  std::size_t i = at + 1;
  for (; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == quote) return i + 1;
    if (text[i] == '\\') ++i;
  }
  // The literal is not closed on its line; skip the rest of the line.
  return std::min(i, text.size());
}

std::string OnlyCode(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t opaque = SkipCommentOrLiteral(text, at);
    if (opaque > at) Blank(&code, at, opaque);
    at = std::max(opaque, at + 1);
  }
  return code;
}

BlankedSource BlankAttributes(std::string_view source) {
  BlankedSource blanked;
  blanked.text = source;
  bool directive = false;  // Inside a line that begins with '#'.
  bool line_start = true;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t opaque = SkipCommentOrLiteral(source, at);
    if (opaque > at) {
      at = opaque;
      line_start = false;
      continue;
    }
    const char c = source[at];
    if (c == '\n') {
      if (at == 0 || source[at - 1] != '\\') directive = false;
      line_start = true;
    } else if (c == '#' && line_start) {
      directive = true;
    }
    if (!IsNameStart(c) || directive) {
      if (!std::isspace(static_cast<unsigned char>(c))) line_start = false;
      ++at;
      if (std::isdigit(static_cast<unsigned char>(c))) {
        while (at < source.size() && IsNamePart(source[at])) ++at;
      }
      continue;
    }
    line_start = false;
    std::size_t end = at;
    while (end < source.size() && IsNamePart(source[end])) ++end;
    const std::string_view name = source.substr(at, end - at);
    const std::size_t next = SkipSpace(source, end);
    std::size_t last = at;
    if (IsKnownAttribute(name)) {
      last = next < source.size() && source[next] == '(' ? SkipParentheses(source, next) : at;
    } else if (IsSpecifierMacro(name)) {
      last = end;
      if (name.find("BOUNDS") != std::string_view::npos && next < source.size() &&
          source[next] == '(') {
        last = SkipParentheses(source, next);
      }
      // Specifiers precede a type or a name. Otherwise the macro is used as a value.
      const std::size_t following = SkipSpace(source, last);
      if (following >= source.size() ||
          (!IsNameStart(source[following]) && source[following] != '~')) {
        last = at;
      }
    }
    if (last > at) {
      Blank(&blanked.text, at, last);
      blanked.attributes.push_back({at, last, name});
    }
    at = std::max(end, last);
  }
  return blanked;
}

std::vector<std::string_view> IdentifiersIn(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t opaque = SkipCommentOrLiteral(text, at);
    if (opaque > at) {
      at = opaque;
    } else if (IsNameStart(text[at])) {
      std::size_t end = at;
      while (end < text.size() && IsNamePart(text[end])) ++end;
      const std::string_view before = text.substr(0, at);
      const bool member = (before.ends_with('.') && !before.ends_with("...")) ||
                          before.ends_with("->") || before.ends_with("::");
      if (!member) names.push_back(text.substr(at, end - at));
      at = end;
    } else if (std::isdigit(static_cast<unsigned char>(text[at]))) {
      while (at < text.size() && (IsNamePart(text[at]) || text[at] == '.')) ++at;
    } else {
      ++at;
    }
  }
  return names;
}

std::string CodeOnOneLine(std::string_view text) {
  std::string collapsed;
  bool space = false;
  for (std::size_t at = 0; at < text.size();) {
    const bool comment = text.substr(at).starts_with("//") || text.substr(at).starts_with("/*");
    const std::size_t opaque = SkipCommentOrLiteral(text, at);
    if (comment || std::isspace(static_cast<unsigned char>(text[at]))) {
      space = true;
      at = comment ? opaque : at + 1;
      continue;
    }
    if (space && !collapsed.empty()) collapsed += ' ';
    space = false;
    const std::size_t end = std::max(opaque, at + 1);
    collapsed += text.substr(at, end - at);
    at = end;
  }
  return collapsed;
}

}  // namespace kernelmill
