#include "generators/lowering/code_template.h"

#include "manifests/ascii.h"
#include "manifests/invariant.h"

namespace kernelmill {
namespace {

constexpr std::size_t kColumns = 100;

void AppendIndented(std::string_view value, std::string_view indent, std::string* text) {
  while (!value.empty()) {
    const std::size_t end = std::min(value.find('\n'), value.size());
    if (end > 0) *text += std::string(indent) + std::string(value.substr(0, end));
    *text += '\n';
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

void FillLine(std::string_view line, const Holes& holes, std::string* text) {
  const std::size_t first = line.find('@');
  if (first == line.npos) {
    *text += std::string(line) + '\n';
    return;
  }
  const std::size_t last = line.find('@', first + 1);
  const auto value_of = [&](std::string_view name) -> const std::string& {
    const auto hole = holes.find(name);
    KM_CHECK(hole != holes.end(), "no value for the hole " + std::string(name));
    return hole->second;
  };
  if (line.find_first_not_of(' ') == first && last + 1 == line.size()) {
    AppendIndented(value_of(line.substr(first + 1, last - first - 1)), line.substr(0, first), text);
    return;
  }
  while (!line.empty()) {
    const std::size_t begin = line.find('@');
    *text += line.substr(0, begin);
    if (begin == line.npos) break;
    const std::size_t end = line.find('@', begin + 1);
    *text += value_of(line.substr(begin + 1, end - begin - 1));
    line.remove_prefix(end + 1);
  }
  *text += '\n';
}

}  // namespace

std::string FillHoles(std::string_view text, const Holes& holes) {
  std::string filled;
  if (text.starts_with('\n')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    FillLine(text.substr(0, end), holes, &filled);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return filled;
}

namespace {

// The first place from `from` on where `code` uses the identifier; npos when there is none.
std::size_t FindName(std::string_view code, std::string_view identifier, std::size_t from) {
  for (std::size_t at = code.find(identifier, from); at != code.npos;
       at = code.find(identifier, at + 1)) {
    const std::size_t end = at + identifier.size();
    const bool member = at > 0 && code[at - 1] == '.';
    if ((at == 0 || !IsNamePart(code[at - 1])) && !member &&
        (end == code.size() || !IsNamePart(code[end]))) {
      return at;
    }
  }
  return code.npos;
}

}  // namespace

bool UsesName(std::string_view code, std::string_view identifier) {
  return FindName(code, identifier, 0) != code.npos;
}

std::string ReplaceName(std::string_view code, std::string_view identifier, std::string_view by) {
  std::string text;
  for (std::size_t at = FindName(code, identifier, 0); at != code.npos;
       at = FindName(code, identifier, 0)) {
    text += std::string(code.substr(0, at)) + std::string(by);
    code.remove_prefix(at + identifier.size());
  }
  return text + std::string(code);
}

std::vector<LaunchParameter> UsedParameters(const std::vector<LaunchParameter>& parameters,
                                            std::string_view body) {
  std::vector<LaunchParameter> used;
  for (const LaunchParameter& parameter : parameters) {
    if (UsesName(body, parameter.name)) used.push_back(parameter);
  }
  return used;
}

std::string CallText(std::string_view prefix, const std::vector<std::string>& items,
                     std::string_view suffix) {
  std::string text(prefix);
  std::size_t column = text.size() - (text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1);
  std::size_t indent = column;
  std::size_t longest = 0;
  for (const std::string& item : items) longest = std::max(longest, item.size());
  if (indent + longest + 2 > kColumns || indent > 60) {
    indent = prefix.find_first_not_of(' ') + 4;
    text += '\n' + std::string(indent, ' ');
    column = indent;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item =
        items[i] + (i + 1 < items.size() ? std::string(",") : std::string(suffix));
    if (i > 0) {
      if (column + 1 + item.size() > kColumns) {
        text += '\n' + std::string(indent, ' ');
        column = indent;
      } else {
        text += ' ';
        ++column;
      }
    }
    text += item;
    column += item.size();
  }
  if (items.empty()) text += suffix;
  return text;
}

std::string SignatureText(std::string_view prefix, const std::vector<LaunchParameter>& parameters,
                          std::string_view suffix) {
  std::vector<std::string> items;
  for (const LaunchParameter& parameter : parameters) {
    items.push_back(parameter.type + ' ' + parameter.name);
  }
  return CallText(prefix, items, suffix);
}

std::string LaunchText(std::string_view prefix, const std::vector<LaunchParameter>& parameters) {
  std::vector<std::string> items;
  for (const LaunchParameter& parameter : parameters) items.push_back(parameter.argument);
  return CallText(prefix, items, ");");
}

std::string CommentText(const std::string& text) {
  if (text.empty()) return "";
  std::string comment, line = "//";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > kColumns) {
      comment += line + '\n';
      line = "//";
    }
    line += ' ' + word;
    at = end + 1;
  }
  return comment + line + '\n';
}

std::string WrapLines(std::string_view code) {
  // Preferred places for a line break within the same depth of parentheses, best first.
  constexpr std::string_view kBreaks[] = {" && ", " || ", " ? ", " : ", ", ", " + ", " * "};
  constexpr std::string_view kAssigned = " = ";
  // The position in `line` after which it can be broken, or npos.
  const auto break_of = [&](std::string_view line, std::size_t indent, bool first) {
    const std::size_t assigned = line.find(kAssigned);
    if (first && assigned != line.npos && assigned + 2 <= kColumns &&
        line.size() - assigned - kAssigned.size() + indent + 4 <= kColumns) {
      return assigned + kAssigned.size();
    }
    std::size_t best = line.npos, least = line.npos;
    int depth = 0, best_depth = 0;
    for (std::size_t at = indent; at < line.size() && at < kColumns; ++at) {
      depth += line[at] == '(' || line[at] == '[';
      depth -= line[at] == ')' || line[at] == ']';
      for (std::size_t mark = 0; mark < std::size(kBreaks); ++mark) {
        const std::size_t end = at + kBreaks[mark].size();
        if (end - 1 > kColumns || end < indent + 16 || !line.substr(at).starts_with(kBreaks[mark])) {
          continue;
        }
        if (best == line.npos || depth < best_depth || (depth == best_depth && mark <= least)) {
          best = end, least = mark, best_depth = depth;
        }
      }
    }
    return best;
  };
  std::string text;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    std::string line(code.substr(0, end));
    code.remove_prefix(std::min(end + 1, code.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool is_code = line.find("//") == line.npos && line.find('"') == line.npos &&
                         line.compare(indent, 1, "#") != 0;
    for (bool first = true; is_code && line.size() > kColumns; first = false) {
      const std::size_t at = break_of(line, first ? indent : indent + 4, first);
      if (at == line.npos) break;
      text += line.substr(0, at - 1) + '\n';
      line = std::string(indent + 4, ' ') + line.substr(at);
    }
    text += line + '\n';
  }
  return text;
}

std::string Join(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += separator;
    text += item;
  }
  return text;
}

}  // namespace kernelmill
