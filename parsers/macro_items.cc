#include "parsers/macro_items.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

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

// One past the parenthesis that closes the one at `at`, or `at` if none does before the end of a
// statement.
std::size_t EndOfParentheses(std::string_view code, std::size_t at) {
  const std::size_t last = std::min(code.size(), at + kLongestArguments);
  int depth = 0;
  for (std::size_t i = at; i < last; ++i) {
    if (code[i] == ';' || code[i] == '{') return at;
    if (code[i] == '(') ++depth;
    if (code[i] == ')' && --depth == 0) return i + 1;
  }
  return at;
}

// Whether arguments hold what other parsers have to see.
bool HoldsDeviceCode(std::string_view arguments) {
  static constexpr std::string_view kWords[] = {"<<<", "__", "Launch"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return arguments.find(word) != arguments.npos; });
}

// Where a reader is.
struct Place {
  // For each open brace: whether functions are defined in it. That is so in a namespace.
  std::vector<bool> defines_functions = {true};
  // The start of a declaration, as far as only words such as `static` have been read of it.
  std::optional<std::size_t> start;
  bool begins = true;  // Whether a declaration begins here, or only such words are before.
  bool opens_namespace = false;  // Whether a brace now opens a namespace or extern "C".
};

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
    if (c != '{' && c != '}' && c != ';') return Word(at);
    std::vector<bool>& braces = place_.defines_functions;
    if (c == '{') braces.push_back(braces.back() && place_.opens_namespace);
    if (c == '}' && braces.size() > 1) braces.pop_back();
    place_.begins = true;
    place_.opens_namespace = false;
    place_.start.reset();
    return at + 1;
  }

  std::size_t Word(std::size_t at) {
    const std::string_view word = WordAt(code_, at);
    const std::size_t end = at + std::max<std::size_t>(word.size(), 1);
    if (!place_.begins) {
      if (code_[at] == '(') place_.opens_namespace = false;
      return end;
    }
    if (word == "static" || word == "inline") {
      place_.start = place_.start.value_or(at);
      return end;
    }
    if (const std::size_t use = EndOfUse(word, at); use > at) {
      Blank(&text_, place_.start.value_or(at), use);
      place_.start.reset();
      return use;
    }
    const std::size_t after = text_.find_first_not_of(kSpace, end);
    place_.opens_namespace =
        word == "namespace" || (word == "extern" && after != text_.npos && text_[after] == '"');
    place_.begins = false;
    return end;
  }

  // One past the use of a macro that begins at `at`, or `at` if it is none, or other parsers have
  // to see it.
  std::size_t EndOfUse(std::string_view word, std::size_t at) const {
    if (!place_.defines_functions.back() || !macros_.contains(word)) return at;
    const std::size_t open = code_.find_first_not_of(kSpace, at + word.size());
    if (open == code_.npos || code_[open] != '(') return at;
    const std::size_t end = EndOfParentheses(code_, open);
    const auto arguments = std::string_view(code_).substr(open, end - open);
    return arguments.empty() || HoldsDeviceCode(arguments) ? at : end;
  }

  bool IsFirstOfLine(std::size_t at) const {
    const std::size_t before = std::string_view(code_).substr(0, at).find_last_not_of(" \t");
    return before == code_.npos || code_[before] == '\n';
  }

  std::size_t Directive(std::size_t at) {
    const std::size_t end = EndOfDirective(code_, at);
    const std::string_view line = std::string_view(code_).substr(at, end - at);
    const std::size_t first = line.find_first_not_of(" \t", 1);
    if (first == line.npos) return end;
    const std::string_view name = WordAt(line, first);
    if (name == "define" || name == "undef") NoteMacro(line.substr(first + name.size()));
    // Each branch of a condition begins where the first one does.
    if (name.starts_with("if")) conditions_.push_back(place_);
    if (name.starts_with("el") && !conditions_.empty()) place_ = conditions_.back();
    if (name == "endif" && !conditions_.empty()) conditions_.pop_back();
    return end;
  }

  // `definition`: what follows `#define` or `#undef`. A macro counts if it has arguments and ends
  // in } or ;.
  void NoteMacro(std::string_view definition) {
    const std::size_t first = definition.find_first_not_of(" \t");
    if (first == definition.npos) return;
    const std::string_view name = WordAt(definition, first);
    if (const auto known = macros_.find(name); known != macros_.end()) macros_.erase(known);
    const std::size_t open = first + name.size();
    if (name.empty() || open >= definition.size() || definition[open] != '(') return;
    const char last = definition[definition.find_last_not_of(" \t\r\n\\")];
    if (last == '}' || last == ';') macros_.emplace(name);
  }

  std::string text_;
  const std::string code_;
  std::set<std::string, std::less<>> macros_;
  Place place_;
  std::vector<Place> conditions_;  // Where each open #if began.
};

}  // namespace

std::string WithoutMacroItems(std::string_view source) {
  if (source.find("define") == source.npos) return std::string(source);
  return Reader(source).WithoutUses();
}

}  // namespace kernelmill
