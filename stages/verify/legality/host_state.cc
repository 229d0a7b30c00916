#include "stages/verify/legality/host_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

// Adds the variables of a declaration.
void AddDeclared(const SyntaxNode& declaration, Names* names) {
  for (SyntaxNode node : declaration.Children()) {
    while (node && !node.Is("identifier")) node = node.Field("declarator");
    if (node) names->insert(node.Text());
  }
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

}  // namespace

std::vector<VerdictFinding> ConditionsOnCallCount(const SyntaxTree& tree, std::string_view file) {
  const Names kept = KeptVariables(tree);
  Names counting;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    const bool assigns = node.Is("assignment_expression");
    if (!assigns && !node.Is("update_expression")) return;
    const SyntaxNode target = node.Field(assigns ? "left" : "argument");
    if (!target || !kept.contains(target.Text())) return;
    if (assigns && node.Field("operator").Text() == "=" &&
        !node.Field("right").Is("binary_expression")) {
      return;  // Storing a flag or a size is allowed.
    }
    counting.insert(target.Text());
  });
  std::vector<VerdictFinding> findings;
  if (counting.empty()) return findings;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    const SyntaxNode condition = node.Field("condition");
    if (!condition || node.Is("for_statement")) return;
    bool decides = false;
    ForEachNode(condition, [&](const SyntaxNode& part) {
      decides = decides || (part.Is("identifier") && counting.contains(part.Text()));
    });
    if (!decides) return;
    findings.push_back({"fallback", std::string(file), static_cast<std::int64_t>(node.FirstLine()),
                        "how often it was called decides what host code does"});
  });
  return findings;
}

}  // namespace kernelmill
