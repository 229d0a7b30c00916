#include "corpora/records/size_expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostText = 4096;

// Evaluates with two stacks (operands and operators) instead of recursion, so that nesting depth is
// not limited.
class Evaluation {
 public:
  Evaluation(std::string_view text, const SymbolValues& values) : text_(text), values_(values) {}

  Result<std::int64_t> Run() {
    bool wants_operand = true;
    while (SkipSpace(), at_ < text_.size()) {
      if (!(wants_operand ? Operand(&wants_operand) : Operator(&wants_operand))) return Wrong();
    }
    if (wants_operand) return Wrong();
    while (!operators_.empty()) {
      if (operators_.back() == '(' || !Apply()) return Wrong();
    }
    return operands_.front();
  }

 private:
  Status Wrong() const {
    return Status(ErrorCode::kCorrupt, "'" + std::string(text_) + "' is no size");
  }

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  // Reads a number, a symbol, or a token that must be followed by another operand.
  bool Operand(bool* wants_operand) {
    const char c = text_[at_];
    if (c == '(') {
      operators_.push_back('(');
      ++at_;
      return true;
    }
    std::size_t end = at_;
    while (end < text_.size() && (IsDigit(text_[end]) || IsNameStart(text_[end]))) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "max" || word == "min") {
      if (at_ == text_.size() || text_[at_] != '(') return false;
      ++at_;
      operators_.push_back(word == "max" ? 'M' : 'm');
      operators_.push_back('(');
      return true;
    }
    *wants_operand = false;
    if (!word.empty() && IsDigit(word.front())) {
      std::int64_t value = 0;
      const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      operands_.push_back(value);
      return error == std::errc() && last == word.data() + word.size();
    }
    const auto found = values_.find(word);
    if (found == values_.end()) return false;
    operands_.push_back(found->second);
    return true;
  }

  bool Operator(bool* wants_operand) {
    const char c = text_[at_++];
    if (c == ')' || c == ',') {
      while (!operators_.empty() && operators_.back() != '(') {
        if (!Apply()) return false;
      }
      if (operators_.empty()) return false;
      operators_.pop_back();
      const bool call = !operators_.empty() && IsNameStart(operators_.back());
      if (c == ',') {
        // The second argument is evaluated like a bracket of its own. 'X' and 'n' stand for max and
        // min after their comma.
        if (!call || (operators_.back() != 'M' && operators_.back() != 'm')) return false;
        operators_.back() = operators_.back() == 'M' ? 'X' : 'n';
        operators_.push_back('(');
        *wants_operand = true;
        return true;
      }
      if (call) return (operators_.back() == 'X' || operators_.back() == 'n') && Apply();
      return true;
    }
    if (c == '/') {
      if (at_ == text_.size() || text_[at_++] != '/') return false;
    } else if (c != '+' && c != '-' && c != '*' && c != '%') {
      return false;
    }
    while (!operators_.empty() && Binds(operators_.back()) >= Binds(c)) {
      if (!Apply()) return false;
    }
    operators_.push_back(c);
    *wants_operand = true;
    return true;
  }

  static int Binds(char operation) {
    switch (operation) {
      case '+':
      case '-':
        return 1;
      case '*':
      case '/':
      case '%':
        return 2;
      default:
        return 0;
    }
  }

  bool Apply() {
    if (operands_.size() < 2) return false;
    const std::int64_t right = operands_.back();
    operands_.pop_back();
    std::int64_t& left = operands_.back();
    const char operation = operators_.back();
    operators_.pop_back();
    switch (operation) {
      case '+':
        return !__builtin_add_overflow(left, right, &left);
      case '-':
        return !__builtin_sub_overflow(left, right, &left);
      case '*':
        return !__builtin_mul_overflow(left, right, &left);
      case 'X':
        left = std::max(left, right);
        return true;
      case 'n':
        left = std::min(left, right);
        return true;
      default:
        return Divide(operation, right, &left);
    }
  }

  static bool Divide(char operation, std::int64_t right, std::int64_t* left) {
    if (right == 0 || (right == -1 && operation == '/')) return false;
    const bool rounds = *left % right != 0 && (*left < 0) != (right < 0);
    *left =
        operation == '/' ? *left / right - (rounds ? 1 : 0) : *left % right + (rounds ? right : 0);
    return true;
  }

  std::string_view text_;
  const SymbolValues& values_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> operands_;
  std::vector<char> operators_;
};

}  // namespace

Result<std::int64_t> EvaluateSize(std::string_view expression, const SymbolValues& values) {
  if (expression.size() > kMostText) {
    return Status(ErrorCode::kCorrupt, "a size expression is too long");
  }
  return Evaluation(expression, values).Run();
}

bool IsPlainNumber(std::string_view expression) {
  return !expression.empty() && std::all_of(expression.begin(), expression.end(), IsDigit);
}

std::string RenameSymbols(std::string_view expression,
                          const std::map<std::string, std::string, std::less<>>& names) {
  std::string text;
  for (std::size_t i = 0; i < expression.size();) {
    std::size_t end = i;
    while (end < expression.size() && (IsNameStart(expression[end]) || IsDigit(expression[end])))
      ++end;
    if (end == i) {
      text += expression[i++];
      continue;
    }
    const std::string_view word = expression.substr(i, end - i);
    const auto found = names.find(word);
    text += found == names.end() ? word : std::string_view(found->second);
    i = end;
  }
  return text;
}

}  // namespace kernelmill
