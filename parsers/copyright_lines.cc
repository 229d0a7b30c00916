#include "parsers/copyright_lines.h"

#include <algorithm>
#include <cctype>

#include "manifests/printable.h"
#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

// A licence text and its notices are within the first pages, those of a source file within its
// first lines.
constexpr std::size_t kLicenceBytes = 64 << 10;
constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kLongestLine = 200;
constexpr std::size_t kMostLines = 64;

constexpr std::string_view kSign = "\u00a9";
// What follows "copyright" in sentences that name no holder.
constexpr std::string_view kOtherWords[] = {"holder",    "holders", "owner",   "owners", "notice",
                                            "notices",   "license", "licence", "law",    "laws",
                                            "statement", "act",     "and",     "or",     "="};

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool BeginsWith(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) {
    return a == std::tolower(static_cast<unsigned char>(b));
  });
}

// Whether the text has a year from 1900 to 2099.
bool HasYear(std::string_view text) {
  for (std::size_t i = 0; i + 4 <= text.size(); ++i) {
    const std::string_view year = text.substr(i, 4);
    if ((i > 0 && IsDigit(text[i - 1])) || (i + 4 < text.size() && IsDigit(text[i + 4]))) continue;
    if ((year.starts_with("19") || year.starts_with("20")) &&
        std::all_of(year.begin(), year.end(), IsDigit)) {
      return true;
    }
  }
  return false;
}

// Without the characters that begin and end a comment or a string.
std::string_view WithoutComment(std::string_view line) {
  static constexpr std::string_view kAround = " \t\r#*/\"';!%-=|<>{}";
  const std::size_t first = line.find_first_not_of(kAround);
  if (first == std::string_view::npos) return "";
  return line.substr(first, line.find_last_not_of(" \t\r#*/\"'|") - first + 1);
}

bool IsNotice(std::string_view line) {
  for (const std::string_view blank :
       {"[yyyy]", "<year>", "{yyyy}", "[year]", "{year}", "<yyyy>"}) {
    if (line.find(blank) != std::string_view::npos) return false;
  }
  const bool signed_line = line.starts_with(kSign) || BeginsWith(line, "(c)");
  if (signed_line) return HasYear(line);
  for (const std::string_view lead :
       {"portions ", "parts ", "modifications ", "all contributions by"}) {
    if (BeginsWith(line, lead)) line.remove_prefix(lead.size());
  }
  static constexpr std::string_view kWord = "copyright";
  if (!BeginsWith(line, kWord)) return false;
  std::string_view rest = line.substr(kWord.size());
  if (rest.starts_with("s ") || rest.empty()) return false;
  const std::size_t next = rest.find_first_not_of(" \t:,");
  if (next == std::string_view::npos || next == 0) return false;
  rest.remove_prefix(next);
  if (BeginsWith(rest, "(c)") || rest.starts_with(kSign)) return true;
  std::string word;
  for (char c : rest.substr(0, rest.find_first_of(" \t.,;:"))) {
    word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  if (std::find(std::begin(kOtherWords), std::end(kOtherWords), word) != std::end(kOtherWords)) {
    return false;
  }
  // "Copyright The PyTorch Authors" has no year.
  return HasYear(rest) || (line[0] == 'C' && std::isupper(static_cast<unsigned char>(rest[0])));
}

std::vector<std::string> LinesIn(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string_view line : LinesOf(text)) {
    const std::string_view notice = WithoutComment(line);
    if (!IsNotice(notice)) continue;
    std::string shown = PrintableLine(notice, kLongestLine);
    if (std::find(found.begin(), found.end(), shown) == found.end())
      found.push_back(std::move(shown));
    if (found.size() == kMostLines) break;
  }
  return found;
}

}  // namespace

std::vector<std::string> CopyrightLines(std::string_view text) {
  return LinesIn(text.substr(0, kLicenceBytes));
}

std::vector<std::string> CopyrightOfHead(std::string_view source) {
  // The last line may be cut: it would be another notice.
  const std::string_view head = source.substr(0, kHeadBytes);
  const bool cut = head.size() < source.size();
  return LinesIn(cut ? head.substr(0, head.rfind('\n') + 1) : head);
}

}  // namespace kernelmill
