#include "stages/verify/build/host_constants.h"

#include <algorithm>
#include <set>

#include "manifests/ascii.h"
#include "parsers/cuda_attributes.h"
#include "parsers/cuda_file.h"
#include "parsers/text_lines.h"
#include "stages/verify/build/demangled.h"

namespace kernelmill {
namespace {

// "k" of a::k, which is "_ZN1aL1kE". Empty for variables of functions and variable templates.
std::string LastNameOf(const std::string& symbol) {
  if (IsIdentifier(symbol) && !symbol.starts_with("_Z")) return symbol;
  if (!symbol.starts_with("_ZL") && !symbol.starts_with("_ZN")) return {};
  const std::string whole = Demangled(symbol);
  const std::size_t scope = whole.rfind("::");
  const std::string name = scope == whole.npos ? whole : whole.substr(scope + 2);
  return IsIdentifier(name) ? name : std::string();
}

// The constant arrays that instructions name. Of those that only the host reads, clang emits some,
// too. Those with __constant__ or __device__ are initialised from outside.
std::set<std::string> ConstantsOf(std::string_view device_code) {
  constexpr std::string_view kCopy = ".const";  // Clang reads a copy where only values are used.
  std::string instructions;
  for (std::string_view line : LinesOf(device_code)) {
    if (line.starts_with(' ')) instructions += std::string(line) + "\n";
  }
  std::set<std::string> names;
  for (std::string_view line : LinesOf(device_code)) {
    const std::size_t kind = line.find(" constant ");
    if (!line.starts_with('@') || kind == line.npos) continue;
    const std::string_view type = line.substr(kind + std::string_view(" constant ").size());
    const bool array = type.starts_with('[') || type.starts_with("<{");
    if (!array || line.find(" externally_initialized ") < kind) continue;
    std::string_view symbol = line.substr(1, line.find(' ') - 1);
    if (!HoldsWord(instructions, symbol)) continue;
    if (symbol.ends_with(kCopy)) symbol.remove_suffix(kCopy.size());
    names.insert(LastNameOf(std::string(symbol)));
  }
  names.erase("");
  return names;
}

struct SourceText {
  std::string code;              // Without directives, comments and alignments, on one line.
  std::set<std::string> macros;  // The names that it defines.
  // What functions read that may be evaluated where the program is compiled.
  std::set<std::string> of_constexpr_functions;
};

SourceText Read(const std::string& source) {
  SourceText text;
  std::string kept;
  bool directive = false;
  const std::string only_code = OnlyCode(source);
  for (std::string_view line : LinesOf(only_code)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
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
  text.code = CodeOnOneLine(WithoutAlignments(kept, Alignments::kAll));
  for (const CudaItem& item : CudaFile::Parse(source).items) {
    if (item.kind != CudaItemKind::kFunction || !item.body) continue;
    const std::string_view whole = std::string_view(source).substr(
        static_cast<std::size_t>(item.first), static_cast<std::size_t>(item.last - item.first));
    if (!HoldsWord(whole.substr(0, whole.find('{')), "constexpr")) continue;
    text.of_constexpr_functions.insert(item.uses.begin(), item.uses.end());
  }
  return text;
}

enum class Place { kNotDeclared, kHost, kDeviceOrUnknown };

// Where the text from a statement's start to the name places the name, before a '[' if `array`.
Place PlaceBySpecifiers(std::string_view specifiers, bool array,
                        const std::set<std::string>& macros) {
  bool constant = false;
  for (std::string_view word : IdentifiersIn(specifiers)) {
    if (word == "const" || word == "constexpr") constant = true;
    if (word == "__device__" || word == "__constant__" || word == "__managed__" ||
        macros.contains(std::string(word))) {
      return Place::kDeviceOrUnknown;
    }
  }
  // A value or a parameter is no declaration of an array.
  const bool declares = array && specifiers.find_first_of("=(") == specifiers.npos;
  return constant && declares ? Place::kHost : Place::kNotDeclared;
}

Place PlaceIn(const SourceText& text, const std::string& name,
              const std::set<std::string>& macros) {
  if (text.of_constexpr_functions.contains(name)) return Place::kDeviceOrUnknown;
  const std::string_view code = text.code;
  Place place = Place::kNotDeclared;
  for (std::size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && IsNamePart(code[at - 1])) || (end < code.size() && IsNamePart(code[end]))) {
      continue;
    }
    const std::size_t behind = code.find_first_not_of(' ', end);
    const bool array = behind != code.npos && code[behind] == '[';
    const std::size_t before = at == 0 ? code.npos : code.find_last_of(";{}", at - 1);
    const std::size_t start = before == code.npos ? 0 : before + 1;
    const Place here = PlaceBySpecifiers(code.substr(start, at - start), array, macros);
    if (here == Place::kDeviceOrUnknown) return here;
    if (here == Place::kHost) place = here;
  }
  return place;
}

}  // namespace

std::string HostConstantIn(std::string_view device_code, const std::vector<std::string>& texts) {
  const std::set<std::string> names = ConstantsOf(device_code);
  if (names.empty()) return {};
  std::vector<SourceText> read;
  std::set<std::string> macros;
  for (const std::string& text : texts) {
    read.push_back(Read(text));
    macros.insert(read.back().macros.begin(), read.back().macros.end());
  }
  for (const std::string& name : names) {
    bool host = false, other = false;
    for (const SourceText& text : read) {
      const Place place = PlaceIn(text, name, macros);
      host = host || place == Place::kHost;
      other = other || place == Place::kDeviceOrUnknown;
    }
    if (host && !other) return name;
  }
  return {};
}

}  // namespace kernelmill
