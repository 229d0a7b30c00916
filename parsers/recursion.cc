#include "parsers/recursion.h"

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "manifests/ascii.h"
#include "parsers/function_declarator.h"

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

bool IsOfDevice(const SyntaxNode& definition, const SyntaxNode& body) {
  const std::string_view head = definition.Text().substr(0, body.First() - definition.First());
  return HoldsWord(head, "__device__") || HoldsWord(head, "__global__");
}

bool Reaches(const std::map<std::string_view, Names>& calls, std::string_view from,
             std::string_view to) {
  Names seen;
  std::vector<std::string_view> open = {from};
  while (!open.empty()) {
    const auto called = calls.find(open.back());
    open.pop_back();
    if (called == calls.end()) continue;
    for (const std::string_view name : called->second) {
      if (name == to) return true;
      if (seen.insert(name).second) open.push_back(name);
    }
  }
  return false;
}

}  // namespace

void FindRecursion(const SyntaxNode& root, const std::function<void(const SyntaxNode&)>& found) {
  std::map<std::string_view, Names> calls;
  std::vector<std::pair<std::string_view, SyntaxNode>> bodies;
  ForEachNode(root, [&](const SyntaxNode& definition) {
    const SyntaxNode body =
        definition.Is("function_definition") ? definition.Field("body") : SyntaxNode();
    if (!body || definition.HasError() || !IsOfDevice(definition, body)) return;
    const std::string_view name = NameOfFunction(definition);
    if (name.empty()) return;
    bodies.emplace_back(name, body);
    ForEachNode(body, [&](const SyntaxNode& node) {
      const SyntaxNode function =
          node.Is("call_expression") ? node.Field("function") : SyntaxNode();
      if (function && function.Is("identifier")) calls[name].insert(function.Text());
    });
  });
  for (const auto& [name, body] : bodies) {
    if (Reaches(calls, name, name)) found(body);
  }
}

}  // namespace kernelmill
