#include "parsers/macro_items.h"

#include <algorithm>
#include <set>
#include <vector>

#include "manifests/ascii.h"
#include "parsers/cuda_attributes.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";
constexpr std::size_t kLongestArguments = 4096;  // Of a use. Real ones have a few words.

// One past the last line of the directive that begins at `at`.
std::size_t EndOfDirective(std::string_view code, std::size_t at) {
  while (true) {
    const std::size_t end = code.find('\n', at);
    if (end == code.npos) return code.size();
    const std::string_view line = code.substr(at, end - at);
    const std::size_t last = line.find_last_not_of(" \t\r");
    at = end + 1;
    if (last == line.npos || line[last] != '\\') return at;
  }
}

std::string_view WordAt(std::string_view code, std::size_t at) {
  std::size_t end = at;
  while (end < code.size() && IsNamePart(code[end])) ++end;
  return code.substr(at, end - at);
}

// One past the parenthesis that closes the one at `at`, or `at` if none does.
std::size_t EndOfParentheses(std::string_view code, std::size_t at) {
  const std::size_t last = std::min(code.size(), at + kLongestArguments);
  int depth = 0;
  for (std::size_t i = at; i < last; ++i) {
    if (code[i] == '(') ++depth;
    if (code[i] == ')' && --depth == 0) return i + 1;
  }
  return at;
}

// Goes through a text once. It knows of macros only after their definition, as the compiler does.
class Reader {
 public:
  explicit Reader(std::string_view source) : text_(source), code_(OnlyCode(source)) {}

  std::string WithoutUses() {
    std::size_t at = 0;
    while ((at = code_.find_first_not_of(kSpace, at)) != code_.npos) at = Next(at);
    return std::move(text_);
  }

 private:
  // One past what begins at `at`.
  std::size_t Next(std::size_t at) {
    const char c = code_[at];
    if (c == '#' && IsFirstOfLine(at)) return Directive(at);
    if (c == '{') {
      between_.push_back(between_.back() && head_is_transparent_);
      starts_item_ = true;
    } else if (c == '}') {
      if (between_.size() > 1) between_.pop_back();
      starts_item_ = true;
    } else if (c == ';') {
      starts_item_ = true;
    } else {
      return Word(at);
    }
    head_is_transparent_ = false;
    return at + 1;
  }

  std::size_t Word(std::size_t at) {
    const std::string_view word = WordAt(code_, at);
    if (starts_item_) {
      const std::size_t after = code_.find_first_not_of(kSpace, at + word.size());
      if (between_.back() && after != code_.npos && code_[after] == '(' && macros_.contains(word)) {
        const std::size_t end = EndOfParentheses(code_, after);
        if (end > after) {
          for (std::size_t i = at; i < end; ++i) {
            if (text_[i] != '\n') text_[i] = ' ';
          }
          return end;
        }
      }
      head_is_transparent_ = word == "namespace" || word == "extern" || word == "inline";
      starts_item_ = false;
    } else if (word.empty() && code_[at] == '(') {
      head_is_transparent_ = false;  // `extern` before a function.
    }
    return at + std::max<std::size_t>(word.size(), 1);
  }

  bool IsFirstOfLine(std::size_t at) const {
    const std::size_t before = std::string_view(code_).substr(0, at).find_last_not_of(" \t");
    return before == code_.npos || code_[before] == '\n';
  }

  // Notes `#define NAME(…) … }` and `#define NAME(…) … ;`.
  std::size_t Directive(std::size_t at) {
    const std::size_t end = EndOfDirective(code_, at);
    std::string_view line = std::string_view(code_).substr(at, end - at);
    constexpr std::string_view kDefine = "define";
    const std::size_t word = line.find_first_not_of(" \t", 1);
    if (word == line.npos || !line.substr(word).starts_with(kDefine)) return end;
    const std::size_t name = line.find_first_not_of(" \t", word + kDefine.size());
    if (name == line.npos) return end;
    const std::string_view defined = WordAt(line, name);
    const std::size_t open = name + defined.size();
    const std::size_t last = line.find_last_not_of(" \t\r\n\\");
    if (defined.empty() || open >= line.size() || line[open] != '(') return end;
    if (line[last] == '}' || line[last] == ';') macros_.emplace(defined);
    return end;
  }

  std::string text_;
  const std::string code_;
  std::set<std::string, std::less<>> macros_;
  std::vector<bool> between_ = {true};  // For each open brace: whether functions stand in it.
  bool starts_item_ = true;
  bool head_is_transparent_ = false;  // Whether a brace now would open a namespace or extern "C".
};

}  // namespace

std::string WithoutMacroItems(std::string_view source) {
  if (source.find("define") == source.npos) return std::string(source);
  return Reader(source).WithoutUses();
}

}  // namespace kernelmill
