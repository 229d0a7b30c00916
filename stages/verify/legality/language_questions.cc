#include "stages/verify/legality/language_questions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace kernelmill {
namespace {

// Traits that say what a type is, without "is_" and "_v".
constexpr std::array<std::string_view, 27> kSameEverywhere = {"same",
                                                              "floating_point",
                                                              "integral",
                                                              "arithmetic",
                                                              "fundamental",
                                                              "scalar",
                                                              "signed",
                                                              "unsigned",
                                                              "pointer",
                                                              "reference",
                                                              "array",
                                                              "void",
                                                              "const",
                                                              "volatile",
                                                              "enum",
                                                              "class",
                                                              "union",
                                                              "function",
                                                              "compound",
                                                              "object",
                                                              "base_of",
                                                              "null_pointer",
                                                              "lvalue_reference",
                                                              "rvalue_reference",
                                                              "convertible",
                                                              "trivially_copyable",
                                                              "constant_evaluated"};

bool Asks(std::string_view name) {
  if (name == "void_t" || name == "is_detected" || name == "is_detected_v") return true;
  // The compiler's own.
  if (name.starts_with("__is_") || name.starts_with("__has_")) {
    return name != "__is_constant_evaluated";
  }
  if (name.starts_with("has_") &&
      (name.find("constructor") != name.npos || name.find("unique_object") != name.npos ||
       name.find("destructor") != name.npos)) {
    return true;
  }
  if (!name.starts_with("is_")) return false;
  name.remove_prefix(3);
  if (name.ends_with("_v")) name.remove_suffix(2);
  if (std::ranges::find(kSameEverywhere, name) != kSameEverywhere.end()) return false;
  constexpr std::array<std::string_view, 9> kOfObjects = {
      "constructible", "assignable", "destructible", "swappable", "invocable",
      "aggregate",     "empty",      "trivial",      "layout"};
  return std::ranges::any_of(kOfObjects,
                             [&](std::string_view part) { return name.find(part) != name.npos; });
}

// Whether template arguments follow, or those of a function: a method of the text may have the
// name.
bool HasArguments(const SyntaxNode& name) {
  const SyntaxNode around = name.Parent();
  if (name.Text().starts_with("__") || !around) return true;
  const std::string_view rest = around.Text().substr(name.Last() - around.First());
  const std::size_t first = rest.find_first_not_of(" \t\n");
  return first != rest.npos && rest[first] == '<';
}

bool IsInStaticAssert(const SyntaxNode& node) {
  for (SyntaxNode at = node.Parent(); at; at = at.Parent()) {
    // The grammar takes some for other statements.
    if (at.Text().starts_with("static_assert")) return true;
    if (at.Is("compound_statement")) return false;
  }
  return false;
}

}  // namespace

std::vector<VerdictFinding> LanguageQuestions(const SyntaxTree& tree, std::string_view file) {
  std::vector<VerdictFinding> findings;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    const bool literal =
        (node.Is("string_literal") || node.Is("char_literal")) && node.Text().starts_with("u8");
    const bool name = node.Kind().ends_with("identifier") && node.Children().empty();
    if (!literal && !(name && Asks(node.Text()) && HasArguments(node))) return;
    if (IsInStaticAssert(node)) return;
    findings.push_back({"fallback", std::string(file), static_cast<std::int64_t>(node.FirstLine()),
                        "code asks for " + std::string(node.Text()) +
                            ", which differs between C++17 and C++20: a device may get other code "
                            "than the judge; static_assert() may ask for it"});
  });
  return findings;
}

}  // namespace kernelmill
