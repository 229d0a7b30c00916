#include "stages/verify/build/host_constants.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <set>

#include "parsers/cuda_attributes.h"
#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "k" of "_ZN1aL1kE", which is a::k. Empty for what is no variable of a file, a namespace or a
// class that is no template.
std::string LastNameOf(const std::string& mangled) {
  if (!mangled.starts_with("_ZL") && !mangled.starts_with("_ZN")) return {};
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), std::free);
  if (text == nullptr) return {};
  const std::string_view whole = text.get();
  const std::size_t scope = whole.rfind("::");
  const std::string_view name = scope == whole.npos ? whole : whole.substr(scope + 2);
  return std::all_of(name.begin(), name.end(), IsOfName) ? std::string(name) : std::string();
}

// The constants that have memory: of k[i] with a known i, clang takes the value instead.
std::set<std::string> ConstantsOf(std::string_view device_code) {
  constexpr std::string_view kCopy = ".const";
  std::set<std::string> names;
  for (std::string_view line : LinesOf(device_code)) {
    if (!line.starts_with("@_Z") || line.find(" constant [") == line.npos) continue;
    std::string_view symbol = line.substr(1, line.find(' ') - 1);
    if (symbol.ends_with(kCopy)) symbol.remove_suffix(kCopy.size());
    names.insert(LastNameOf(std::string(symbol)));
  }
  names.erase("");
  return names;
}

struct SourceText {
  std::string code;              // Without directives and comments, on one line.
  std::set<std::string> macros;  // The names that it defines.
};

SourceText Read(const std::string& unit) {
  SourceText text;
  std::string kept;
  bool directive = false;
  for (std::string_view line : LinesOf(unit)) {
    const std::size_t first = line.find_first_not_of(" \t");
    directive = directive || (first != line.npos && line[first] == '#');
    if (!directive) {
      kept += std::string(line) + "\n";
      continue;
    }
    const std::vector<std::string_view> words = IdentifiersIn(line);
    if (words.size() > 1 && words.front() == "define") text.macros.emplace(words[1]);
    directive = line.ends_with('\\');
  }
  text.code = CodeOnOneLine(kept);
  return text;
}

enum class Place { kNotDeclared, kHost, kOther };

// Where the text between a statement's start and the array's name places it.
Place PlaceOf(std::string_view specifiers, const std::set<std::string>& macros) {
  bool constant = false;
  for (std::string_view word : IdentifiersIn(specifiers)) {
    if (word == "const" || word == "constexpr") constant = true;
    if (word == "return") return Place::kNotDeclared;
    if (word == "__device__" || word == "__constant__" || word == "__managed__" ||
        macros.contains(std::string(word))) {
      return Place::kOther;
    }
  }
  return constant ? Place::kHost : Place::kNotDeclared;
}

Place PlaceOf(const std::string& name, const SourceText& text) {
  Place place = Place::kNotDeclared;
  for (std::size_t at = text.code.find(name); at != text.code.npos;
       at = text.code.find(name, at + 1)) {
    std::size_t behind = at + name.size();
    while (behind < text.code.size() && text.code[behind] == ' ') ++behind;
    if (behind >= text.code.size() || text.code[behind] != '[') continue;
    const std::size_t before = text.code.find_last_of(";{}=()", at);
    const std::size_t start = before == text.code.npos || at == 0 ? 0 : before + 1;
    if (at > 0 && IsOfName(text.code[at - 1])) continue;
    const Place here = PlaceOf(std::string_view(text.code).substr(start, at - start), text.macros);
    if (here == Place::kOther) return here;
    if (here == Place::kHost) place = here;
  }
  return place;
}

}  // namespace

std::string HostConstantIn(std::string_view device_code, const std::vector<std::string>& units) {
  const std::set<std::string> names = ConstantsOf(device_code);
  if (names.empty()) return {};
  std::vector<SourceText> texts;
  for (const std::string& unit : units) texts.push_back(Read(unit));
  for (const std::string& name : names) {
    Place place = Place::kNotDeclared;
    for (const SourceText& text : texts) {
      const Place here = PlaceOf(name, text);
      if (here == Place::kNotDeclared) continue;
      place = here;
      if (here == Place::kOther) break;
    }
    if (place == Place::kHost) return name;
  }
  return {};
}

}  // namespace kernelmill
