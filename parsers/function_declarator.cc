#include "parsers/function_declarator.h"

namespace kernelmill {

SyntaxNode DeclaratorOfFunction(const SyntaxNode& definition) {
  SyntaxNode node = definition.Field("declarator");
  while (node && !node.Is("function_declarator")) {
    const SyntaxNode inner = node.Field("declarator");
    node = inner || node.Children().empty() ? inner : node.Children().back();
  }
  return node;
}

std::string_view NameOfFunction(const SyntaxNode& definition) {
  const SyntaxNode declarator = DeclaratorOfFunction(definition);
  const SyntaxNode name = declarator ? declarator.Field("declarator") : SyntaxNode();
  return name ? name.Text() : std::string_view();
}

}  // namespace kernelmill
