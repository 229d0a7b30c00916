#include "parsers/cuda_unset.h"

#include <algorithm>

namespace kernelmill {
namespace {

// Whether a value may not stand in the enclosing function, or not everywhere.
bool ForbidsValues(const SyntaxNode& declaration) {
  for (SyntaxNode outer = declaration.Parent(); outer; outer = outer.Parent()) {
    if (!outer.Is("function_definition") && !outer.Is("lambda_expression")) continue;
    const std::string_view text = outer.Text();
    return text.find("goto") != text.npos || text.find("constexpr") != text.npos;
  }
  return true;
}

}  // namespace

void FindUnset(const SyntaxNode& declaration, const std::function<void(const SyntaxNode&)>& found) {
  const SyntaxNode type = declaration.Field("type");
  if (!declaration.Parent().Is("compound_statement") || declaration.HasError()) return;
  if (!type || (!type.Is("primitive_type") && !type.Is("sized_type_specifier"))) return;
  if (type.Text() == "bool" || type.Text() == "void") return;
  const auto children = declaration.AllChildren();
  const bool plain = std::all_of(children.begin(), children.end(), [](const SyntaxNode& child) {
    return child.Role() == "type" || child.Role() == "declarator" || child.Is(",") ||
           child.Is(";") || child.Is("comment");
  });
  if (!plain || ForbidsValues(declaration)) return;
  for (const SyntaxNode& child : children) {
    if (child.Is("identifier")) found(child);
  }
}

}  // namespace kernelmill
