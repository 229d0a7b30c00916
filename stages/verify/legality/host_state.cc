#include "stages/verify/legality/host_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

// Adds the variable of a declarator.
void AddDeclarator(SyntaxNode node, Names* names) {
  while (node && !node.Is("identifier")) node = node.Field("declarator");
  if (node) names->insert(node.Text());
}

// Adds the variables of a declaration.
void AddDeclared(const SyntaxNode& declaration, Names* names) {
  for (const SyntaxNode& node : declaration.Children()) AddDeclarator(node, names);
}

bool IsKept(std::string_view declaration, bool is_global) {
  for (std::string_view word : {"__device__", "__constant__", "__managed__", "__shared__"}) {
    if (declaration.find(word) != declaration.npos) return false;
  }
  return is_global || declaration.starts_with("static ") ||
         declaration.starts_with("thread_local ");
}

// The static and global variables of host code.
Names KeptVariables(const SyntaxTree& tree) {
  Names names;
  SyntaxCursor cursor(tree.Root());
  std::size_t function_end = 0;
  do {
    const SyntaxNode node = cursor.Node();
    if (node.Is("function_definition")) function_end = std::max(function_end, node.Last());
    if (node.Is("declaration") && IsKept(node.Text(), node.First() >= function_end)) {
      AddDeclared(node, &names);
    }
  } while (cursor.ToNext());
  return names;
}

bool Mentions(const SyntaxNode& expression, const auto& names) {
  bool found = false;
  ForEachNode(expression, [&](const SyntaxNode& part) {
    found = found || (part.Is("identifier") && names.contains(part.Text()));
  });
  return found;
}

// `kept`, and the variables whose value comes from one of them.
Names WithDerived(const SyntaxTree& tree, Names kept) {
  for (std::size_t size = 0; size != kept.size();) {
    size = kept.size();
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      if (node.Is("init_declarator")) {
        const SyntaxNode value = node.Field("value");
        if (value && Mentions(value, kept)) AddDeclarator(node, &kept);
      } else if (node.Is("assignment_expression") && node.Field("left").Is("identifier") &&
                 Mentions(node.Field("right"), kept)) {
        kept.insert(node.Field("left").Text());
      }
    });
  }
  return kept;
}

}  // namespace

std::vector<VerdictFinding> ConditionsOnCallCount(const SyntaxTree& tree, std::string_view file) {
  const Names kept = KeptVariables(tree);
  const Names derived = WithDerived(tree, kept);
  // The variables whose value changes with every call: from each to the line that changes it.
  std::map<std::string_view, std::size_t> counting;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    const bool assigns = node.Is("assignment_expression");
    if (!assigns && !node.Is("update_expression")) return;
    const SyntaxNode target = node.Field(assigns ? "left" : "argument");
    if (!target || !kept.contains(target.Text())) return;
    const SyntaxNode value = assigns ? node.Field("right") : node;
    if (assigns && node.Field("operator").Text() == "=" &&
        !(value.Is("binary_expression") && Mentions(value, derived))) {
      return;  // It stores a flag, a size or a property of the device.
    }
    counting.emplace(target.Text(), node.FirstLine());
  });
  std::vector<VerdictFinding> findings;
  if (counting.empty()) return findings;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    const SyntaxNode condition = node.Field("condition");
    if (!condition || node.Is("for_statement")) return;
    for (const auto& [name, line] : counting) {
      if (!Mentions(condition, Names{name})) continue;
      findings.push_back(
          {"fallback", std::string(file), static_cast<std::int64_t>(node.FirstLine()),
           "the condition reads " + std::string(name) + ", which line " + std::to_string(line) +
               " changes from call to call: how often it was called decides what "
               "host code does"});
    }
  });
  return findings;
}

}  // namespace kernelmill
