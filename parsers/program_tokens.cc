#include "parsers/program_tokens.h"

#include <algorithm>
#include <array>
#include <string>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// Signs of several characters, longest first.
constexpr std::array<std::string_view, 27> kSigns = {
    "<<<", ">>>", "**=", "//=", "<<=", ">>=", "...", "==", "!=", "<=", ">=", "->", "::", "&&",
    "||",  "+=",  "-=",  "*=",  "/=",  "%=",  "//",  "**", "<<", ">>", ":=", "++", "--"};

bool IsNameByte(char c) {
  return IsNamePart(c) || static_cast<unsigned char>(c) >= 0x80;
}

class TokenScanner {
 public:
  TokenScanner(ProgramLanguage language, std::string_view text,
               const std::function<void(const ProgramToken&)>& visit)
      : python_(language == ProgramLanguage::kPython), text_(text), visit_(visit) {}

  void Scan() {
    while (at_ < text_.size()) ScanOne();
  }

 private:
  char At(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  bool Follows(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void SkipTo(std::size_t position) { at_ = std::min(position, text_.size()); }
  // Skips past the next `end`, or to the end of the text.
  void SkipPast(std::string_view end, std::size_t from) {
    const std::size_t found = text_.find(end, from);
    SkipTo(found == text_.npos ? text_.size() : found + end.size());
  }
  void Emit(ProgramTokenKind kind, std::size_t first) {
    visit_({kind, text_.substr(first, at_ - first)});
    line_begins_ = false;
  }

  void ScanOne() {
    const char c = text_[at_];
    if (c == '\n') {
      line_begins_ = true;
      ++at_;
    } else if (static_cast<unsigned char>(c) <= ' ' || (c == '\\' && IsLineBreak(At(at_ + 1)))) {
      ++at_;
    } else if (python_ ? c == '#' : Follows("//")) {
      SkipTo(text_.find('\n', at_));
    } else if (!python_ && Follows("/*")) {
      SkipPast("*/", at_ + 2);
    } else if (c == '"' || c == '\'') {
      ScanString(at_);
    } else if (IsDigit(c) || (c == '.' && IsDigit(At(at_ + 1)))) {
      ScanNumber();
    } else if (IsNameByte(c)) {
      ScanName();
    } else {
      ScanSign();
    }
  }

  static bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

  void ScanName() {
    const std::size_t first = at_;
    while (at_ < text_.size() && IsNameByte(text_[at_])) ++at_;
    const bool quote_follows = At(at_) == '"' || At(at_) == '\'';
    const std::string_view name = text_.substr(first, at_ - first);
    if (!quote_follows) return Emit(ProgramTokenKind::kName, first);
    if (!python_ && name == "R" && At(at_) == '"') return ScanRawString(first);
    const bool prefix = name.size() <= 2 && name.find_first_not_of("rRbBfFuULt") == name.npos;
    return prefix ? ScanString(first) : Emit(ProgramTokenKind::kName, first);
  }

  // at_ is at the opening quote, `first` at the prefix or the quote.
  void ScanString(std::size_t first) {
    const char quote = text_[at_];
    const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    if (python_ && Follows(triple)) return ScanTripleString(triple);
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    SkipTo(at_ + (At(at_) == quote ? 1 : 0));
    Emit(ProgramTokenKind::kString, first);
  }

  void ScanTripleString(std::string_view quotes) {
    const bool docstring = line_begins_ && depth_ == 0;
    const std::size_t first = at_ + quotes.size();
    std::size_t last = first;
    while (last < text_.size() && !text_.substr(last).starts_with(quotes)) {
      last += text_[last] == '\\' ? 2 : 1;
    }
    last = std::min(last, text_.size());
    if (!docstring) {
      TokenScanner(ProgramLanguage::kNative, text_.substr(first, last - first), visit_).Scan();
      line_begins_ = false;
    }
    SkipTo(last + quotes.size());
  }

  // R"tag(…)tag"
  void ScanRawString(std::size_t first) {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos || open - at_ > 17) return ScanString(first);
    const std::string end =
        ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    SkipPast(end, open);
    Emit(ProgramTokenKind::kString, first);
  }

  void ScanNumber() {
    const std::size_t first = at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_], before = text_[at_ - (at_ > first ? 1 : 0)];
      const bool exponent = (c == '+' || c == '-') && (before == 'e' || before == 'E') &&
                            !text_.substr(first).starts_with("0x");
      const bool separator = !python_ && c == '\'' && IsNameByte(At(at_ + 1));
      if (!IsNameByte(c) && c != '.' && !exponent && !separator) break;
    }
    Emit(ProgramTokenKind::kNumber, first);
  }

  void ScanSign() {
    const std::size_t first = at_;
    const auto* const sign = std::find_if(kSigns.begin(), kSigns.end(),
                                          [&](std::string_view one) { return Follows(one); });
    const char c = text_[at_];
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    at_ += sign == kSigns.end() ? 1 : sign->size();
    Emit(ProgramTokenKind::kSign, first);
  }

  const bool python_;
  const std::string_view text_;
  const std::function<void(const ProgramToken&)>& visit_;
  std::size_t at_ = 0;
  int depth_ = 0;             // Of open brackets.
  bool line_begins_ = true;  // No token of this line has been visited.
};

}  // namespace

void ForEachProgramToken(ProgramLanguage language, std::string_view text,
                         const std::function<void(const ProgramToken&)>& visit) {
  TokenScanner(language, text, visit).Scan();
}

}  // namespace kernelmill
