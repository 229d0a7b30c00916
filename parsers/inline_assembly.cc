#include "parsers/inline_assembly.h"

#include <algorithm>
#include <vector>

#include "manifests/ascii.h"
#include "parsers/cuda_attributes.h"

namespace kernelmill {
namespace {

constexpr std::string_view kKeywords[] = {"asm", "__asm", "__asm__"};
constexpr std::string_view kQualifiers[] = {"volatile", "__volatile__", "__volatile", "inline"};

bool IsOneOf(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\'; }

// Behind blanks, comments and continued lines.
std::size_t SkipSpace(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (IsBlank(text[at])) {
      ++at;
    } else if (text[at] == '/' && SkipCommentOrLiteral(text, at) > at) {
      at = SkipCommentOrLiteral(text, at);
    } else {
      break;
    }
  }
  return at;
}

// What stays of a part that is dropped: its lines.
std::string LinesOnly(std::string_view part) {
  std::string kept;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\n') kept += '\n';
    if (part[i] == '\\' && i + 1 < part.size() && part[i + 1] == '\n') kept += '\\';
  }
  return kept;
}

struct Statement {
  std::size_t open = 0, end = 0;       // The parenthesis, and one past its partner.
  std::vector<std::size_t> colons;     // Those outside of further parentheses.
  std::vector<std::size_t> commas;
};

// The statement whose parenthesis is at `open`. `end` is 0 if it is not complete.
Statement Read(std::string_view text, std::size_t open) {
  Statement statement{open, 0, {}, {}};
  int depth = 0;
  for (std::size_t at = open; at < text.size();) {
    if (const std::size_t opaque = SkipCommentOrLiteral(text, at); opaque > at) {
      at = opaque;
      continue;
    }
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0) {
      statement.end = at + 1;
      return statement;
    }
    if (depth == 1 && c == ':') statement.colons.push_back(at);
    if (depth == 1 && c == ',') statement.commas.push_back(at);
    ++at;
  }
  return statement;
}

// Whether the first section holds more than empty literals.
bool HasText(std::string_view section) {
  return std::any_of(section.begin(), section.end(),
                     [](char c) { return c != '"' && !IsBlank(c); });
}

// One operand, `"=r"(x)`, with the blanks around it.
std::string Operand(std::string_view part, std::string_view macro) {
  const std::size_t first = SkipSpace(part, 0);
  if (first == part.size()) return LinesOnly(part);
  std::size_t open = first;
  while (open < part.size() && part[open] != '(') {
    open = std::max(SkipCommentOrLiteral(part, open), open + 1);
  }
  const std::size_t close = part.rfind(')');
  if (open >= part.size() || close == part.npos || close < open) return std::string(part);
  std::string text(part.substr(0, first));
  text += ", ";
  text += macro;
  text += '(';
  text += part.substr(first, open - first);
  text += ", ";
  text += part.substr(open, close + 1 - open);
  text += ')';
  text += part.substr(close + 1);
  return text;
}

std::string Rewritten(std::string_view text, const Statement& statement) {
  std::vector<std::size_t> ends = statement.colons;
  ends.push_back(statement.end - 1);
  std::string result = "KM_PTX((";
  result += text.substr(statement.open + 1, ends[0] - statement.open - 1);
  result += ')';
  for (std::size_t section = 1; section < ends.size(); ++section) {
    std::size_t first = ends[section - 1] + 1;
    if (section > 2) {
      result += LinesOnly(text.substr(first, ends[section] - first));
      continue;
    }
    while (first <= ends[section]) {
      const auto comma = std::lower_bound(statement.commas.begin(), statement.commas.end(), first);
      const std::size_t end = comma == statement.commas.end() ? ends[section]
                                                              : std::min(*comma, ends[section]);
      result += Operand(text.substr(first, end - first),
                        section == 1 ? "KM_PTX_OUT" : "KM_PTX_IN");
      first = end + 1;
    }
  }
  return result + ')';
}

}  // namespace

std::string RewriteAssembly(std::string_view source) {
  std::string text;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < source.size();) {
    if (const std::size_t opaque = SkipCommentOrLiteral(source, at); opaque > at) {
      at = opaque;
      continue;
    }
    const std::string_view word = WordAt(source, at);
    if (word.empty()) {
      // A number may end in letters.
      const bool digit = source[at] >= '0' && source[at] <= '9';
      do {
        ++at;
      } while (digit && at < source.size() && IsNamePart(source[at]));
      continue;
    }
    const std::size_t begin = at;
    at += word.size();
    if (!IsOneOf(word, kKeywords)) continue;
    std::size_t open = SkipSpace(source, at);
    while (IsOneOf(WordAt(source, open), kQualifiers)) {
      open = SkipSpace(source, open + WordAt(source, open).size());
    }
    if (open >= source.size() || source[open] != '(') continue;
    const Statement statement = Read(source, open);
    if (statement.end == 0) continue;
    const std::size_t text_end =
        statement.colons.empty() ? statement.end - 1 : statement.colons.front();
    at = statement.end;
    if (!HasText(source.substr(open + 1, text_end - open - 1))) continue;
    text += source.substr(copied, begin - copied);
    text += LinesOnly(source.substr(begin, open - begin));
    text += Rewritten(source, statement);
    copied = statement.end;
  }
  text += source.substr(copied);
  return text;
}

}  // namespace kernelmill
