#include "stages/verify/build/asked_concepts.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsOfName);
}

// The end of a word that stands by itself, behind `keyword` and spaces; npos if there is none.
std::size_t EndOfDeclared(std::string_view text, std::string_view keyword, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(keyword, at)) != text.npos; ++at) {
    if (at > 0 && IsOfName(text[at - 1])) continue;
    const std::size_t first = text.find_first_not_of(" \t\n", at + keyword.size());
    if (first == text.npos || first == at + keyword.size()) continue;
    const std::size_t end = first + name.size();
    if (text.substr(first).starts_with(name) && (end == text.size() || !IsOfName(text[end]))) {
      return end;
    }
  }
  return text.npos;
}

// Behind the semicolon that ends the declaration, which is not the one of a body.
std::size_t EndOfDeclaration(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && depth-- == 0) break;
    if (text[at] == ';' && depth == 0) return at + 1;
  }
  return text.npos;
}

}  // namespace

std::string WithConceptsAsked(std::string_view text, std::string_view log) {
  constexpr std::string_view kBecause = "note: because '", kSatisfies = "' does not satisfy '";
  std::set<std::pair<std::string_view, std::string_view>> asked;  // Class and concept.
  for (const std::string_view line : LinesOf(log)) {
    const std::size_t because = line.find(kBecause), satisfies = line.find(kSatisfies);
    if (because == line.npos || satisfies == line.npos) continue;
    const std::size_t cls = because + kBecause.size(), name = satisfies + kSatisfies.size();
    const std::size_t end = line.find('\'', name);
    if (end == line.npos || satisfies < cls) continue;
    asked.emplace(line.substr(cls, satisfies - cls), line.substr(name, end - name));
  }
  std::string changed(text);
  for (const auto& [cls, name] : asked) {
    const std::string question =
        " static_assert(" + std::string(name) + "<" + std::string(cls) + ">);";
    if (!IsName(cls) || !IsName(name) || changed.find(question) != changed.npos) continue;
    const std::size_t of_struct = EndOfDeclared(changed, "struct", cls);
    const std::size_t of_class =
        of_struct == changed.npos ? EndOfDeclared(changed, "class", cls) : of_struct;
    const std::size_t of_concept = EndOfDeclared(changed, "concept", name);
    if (of_class == changed.npos || of_concept == changed.npos) continue;
    const std::size_t place = EndOfDeclaration(changed, std::max(of_class, of_concept));
    if (place != changed.npos) changed.insert(place, question);
  }
  return changed;
}

}  // namespace kernelmill
