#include "stages/verify/legality/host_code.h"

#include <algorithm>

namespace kernelmill {

std::string_view DeclaredBy(SyntaxNode node) {
  while (node && !node.Is("identifier") && !node.Is("field_identifier")) {
    const SyntaxNode inner = node.Field("declarator");
    // A reference has its declarator as a child without a name.
    node = inner || node.Children().empty() ? inner : node.Children().back();
  }
  return node ? node.Text() : std::string_view();
}

bool HasWord(const SyntaxNode& node, std::string_view word) {
  const auto children = node.AllChildren();
  return std::any_of(children.begin(), children.end(),
                     [&](const SyntaxNode& child) { return child.Text() == word; });
}

SyntaxNode FunctionAround(SyntaxNode node) {
  for (node = node.Parent(); node; node = node.Parent()) {
    if (node.Is("function_definition")) return node;
  }
  return node;
}

bool IsBackwardName(std::string_view name) {
  return name.find("backward") != name.npos || name.find("grad") != name.npos;
}

bool IsOnDevice(const SyntaxNode& function) {
  const SyntaxNode body = function ? function.Field("body") : SyntaxNode();
  if (!body) return false;
  const std::string_view head = function.Text().substr(0, body.First() - function.First());
  return head.find("__global__") != head.npos ||
         (head.find("__device__") != head.npos && head.find("__host__") == head.npos);
}

}  // namespace kernelmill
