// Takes words and numbers from the text of inline PTX, while a candidate is compiled (program.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kernelmill::ptx {

using Text = std::string_view;

constexpr std::size_t Occurrences(Text text, char wanted) {
  std::size_t count = 0;
  for (const char c : text) count += c == wanted;
  return count;
}

enum class NumberForm : unsigned char { kInteger, kDouble, kSingle };
struct Number {
  NumberForm form = NumberForm::kInteger;
  std::uint64_t bits = 0;
};

class Scanner {
 public:
  constexpr explicit Scanner(Text text) : text_(text) {}

  constexpr bool AtEnd() const { return at_ >= text_.size(); }
  constexpr bool Sees(char c) const { return !AtEnd() && text_[at_] == c; }
  constexpr bool SeesDigit() const { return !AtEnd() && IsDigit(text_[at_]); }
  constexpr bool Take(char c) {
    if (!Sees(c)) return false;
    ++at_;
    return true;
  }
  // Up to 24 characters, for messages.
  constexpr Text Rest() const { return text_.substr(at_, 24); }

  // Skips blanks and comments. Returns whether anything is left.
  constexpr bool SkipBlank() {
    while (!AtEnd()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = text_.find('\n', at_) == text_.npos ? text_.size() : text_.find('\n', at_);
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  constexpr bool TakeWord(Text word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  // "%", which is "%%" where the statement has operands.
  constexpr bool TakePercents() {
    const bool percent = Take('%');
    Take('%');
    return percent;
  }
  constexpr Text TakeName() {
    return TakeWhile([](char c) { return IsOfName(c); });
  }
  // With modifiers: "ld.global.L2::128B.f32".
  constexpr Text TakeOpcode() {
    const std::size_t first = at_;
    while (!AtEnd() && (IsOfName(text_[at_]) || (text_[at_] == ':' && IsScope()))) {
      at_ += text_[at_] == ':' ? 2 : 1;
    }
    return text_.substr(first, at_ - first);
  }
  constexpr std::uint64_t TakeInteger() { return TakeNumber(false).bits; }

  // A number without its sign, which is `minus`.
  constexpr Number TakeNumber(bool minus) {
    const Text start = text_.substr(at_, 2);
    if (start == "0f" || start == "0F" || start == "0d" || start == "0D") {
      at_ += 2;
      const bool single = start[1] == 'f' || start[1] == 'F';
      return {single ? NumberForm::kSingle : NumberForm::kDouble, TakeDigits(16)};
    }
    std::uint64_t value = 0;
    if (start == "0x" || start == "0X") {
      at_ += 2;
      value = TakeDigits(16);
    } else {
      const std::size_t first = at_;
      value = TakeDigits(10);
      if (Sees('.') || Sees('e') || Sees('E')) {
        at_ = first;
        const double number = TakeDecimal();
        return {NumberForm::kDouble, __builtin_bit_cast(std::uint64_t, minus ? -number : number)};
      }
    }
    Take('U');
    return {NumberForm::kInteger, minus ? ~value + 1 : value};
  }

 private:
  static constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool IsOfName(char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           c == '.';
  }
  constexpr bool IsScope() const { return text_.substr(at_, 2) == "::"; }

  template <typename Accepts>
  constexpr Text TakeWhile(Accepts accepts) {
    const std::size_t first = at_;
    while (!AtEnd() && accepts(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }
  static constexpr int DigitOf(char c) {
    if (IsDigit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
  }
  constexpr std::uint64_t TakeDigits(int base) {
    std::uint64_t value = 0;
    for (; !AtEnd() && DigitOf(text_[at_]) < base; ++at_) {
      value = value * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(DigitOf(text_[at_]));
    }
    return value;
  }
  constexpr double TakeDecimal() {
    double value = 0;
    int exponent = 0;
    for (bool fraction = false; !AtEnd() && (IsDigit(text_[at_]) || Sees('.')); ++at_) {
      if (Sees('.')) {
        fraction = true;
      } else {
        value = value * 10 + DigitOf(text_[at_]);
        exponent -= fraction;
      }
    }
    if (Take('e') || Take('E')) {
      const bool minus = Take('-');
      Take('+');
      const int power = static_cast<int>(TakeDigits(10));
      exponent += minus ? -power : power;
    }
    double scale = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i) scale *= 10;
    return exponent < 0 ? value / scale : value * scale;
  }

  Text text_;
  std::size_t at_ = 0;
};

}  // namespace kernelmill::ptx
