#include "parsers/bit_views.h"

namespace kernelmill {
namespace {

SyntaxNode WithoutParentheses(SyntaxNode node) {
  while (node && node.Is("parenthesized_expression") && node.Children().size() == 1) {
    node = node.Children()[0];
  }
  return node;
}

// What a cast converts; empty for other nodes.
SyntaxNode Converted(const SyntaxNode& node) {
  if (!node) return {};
  if (node.Is("cast_expression")) return WithoutParentheses(node.Field("value"));
  if (!node.Is("call_expression") || !node.Text().starts_with("reinterpret_cast<")) return {};
  const auto arguments = node.Field("arguments").Children();
  return arguments.size() == 1 ? WithoutParentheses(arguments[0]) : SyntaxNode();
}

bool IsOnlyRead(SyntaxNode place) {
  while (place.Parent().Is("parenthesized_expression")) place = place.Parent();
  const SyntaxNode parent = place.Parent();
  if (parent.Is("binary_expression") || parent.Is("return_statement") ||
      parent.Is("argument_list") || parent.Is("conditional_expression")) {
    return true;
  }
  if (parent.Is("init_declarator")) return parent.Field("declarator").Is("identifier");
  return parent.Is("assignment_expression") && place.Role() == "right";
}

}  // namespace

void FindBitView(const SyntaxNode& place,
                 const std::function<void(const SyntaxNode&, const SyntaxNode&)>& found) {
  if (!place.Is("pointer_expression") || !place.Text().starts_with('*') || place.HasError()) return;
  const SyntaxNode address = Converted(WithoutParentheses(place.Field("argument")));
  if (!address || !address.Is("pointer_expression") || !address.Text().starts_with('&')) return;
  const SyntaxNode variable = WithoutParentheses(address.Field("argument"));
  if (variable && variable.Is("identifier") && IsOnlyRead(place)) found(place, variable);
}

}  // namespace kernelmill
