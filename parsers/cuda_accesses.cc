#include "parsers/cuda_accesses.h"

#include <algorithm>

namespace kernelmill {
namespace {

// Whether this type, or the return type in this function head, may be a reference. Parameters and
// captures, which are in brackets, do not count.
bool MayNameReference(std::string_view code, std::size_t first, std::size_t last) {
  std::string type;
  int depth = 0;
  for (std::size_t at = first; at < last; ++at) {
    const char c = code[at];
    if (c == ')' || c == ']') --depth;
    if (depth == 0) type += c;
    if (c == '(' || c == '[') ++depth;
  }
  for (const std::string_view word : {"&", "decltype", "reference"}) {
    if (type.find(word) != std::string::npos) return true;
  }
  return false;
}

// Whether the function or lambda that the statement returns from is known, by its declaration, to
// return no reference.
bool ReturnsValue(const SyntaxNode& statement, std::string_view code) {
  for (SyntaxNode node = statement.Parent(); node; node = node.Parent()) {
    if (!node.Is("function_definition") && !node.Is("lambda_expression")) continue;
    const SyntaxNode body = node.Field("body");
    return body && body.First() <= statement.First() &&
           !MayNameReference(code, node.First(), body.First());
  }
  return false;
}

bool IsDereference(const SyntaxNode& place) {
  if (!place) return false;
  if (place.Is("subscript_expression")) return true;
  if (!place.Is("pointer_expression") || !place.Text().starts_with('*')) return false;
  const SyntaxNode pointer = place.Field("argument");
  return !pointer || pointer.Text() != "this";
}

// `reinterpret_cast<float4&>(x[i])` and `(float4&)x[i]`.
bool IsReferenceCast(const SyntaxNode& node) {
  std::string_view text = node.Text();
  if (node.Is("cast_expression")) {
    const SyntaxNode type = node.Field("type");
    return type && type.Text().ends_with('&');
  }
  if (!node.Is("call_expression") || !text.starts_with("reinterpret_cast<")) return false;
  const SyntaxNode function = node.Field("function");
  text = function ? function.Text() : "";
  if (!text.ends_with('>')) return false;
  text.remove_suffix(1);
  return text.substr(0, text.find_last_not_of(" \t\n") + 1).ends_with('&');
}

// Whether `(a) * b` may be a product although the grammar reads it as a cast of `*b`.
bool MayBeProduct(const SyntaxNode& node, const SyntaxNode& parent) {
  if (!node.Is("pointer_expression") || !parent.Is("cast_expression")) return false;
  const SyntaxNode type = parent.Field("type");
  if (!type) return true;
  const auto parts = type.Children();
  return parts.size() == 1 && !parts[0].Is("primitive_type") &&
         !parts[0].Is("sized_type_specifier");
}

// Whether the parent of a place, or of the brackets around it, accesses the place itself.
bool IsAccessed(SyntaxNode node) {
  if (MayBeProduct(node, node.Parent())) return false;
  while (node.Parent().Is("parenthesized_expression")) node = node.Parent();
  const SyntaxNode parent = node.Parent();
  const std::string_view role = node.Role();
  if (parent.Is("pointer_expression") || parent.Is("field_expression")) return false;
  if (parent.Is("subscript_expression")) return role != "argument";
  if (parent.Is("call_expression")) return role != "function";
  for (SyntaxNode outer = parent; outer; outer = outer.Parent()) {
    if (outer.Kind().ends_with("statement") || outer.Is("declaration")) break;
    for (const std::string_view kind :
         {"sizeof_expression", "alignof_expression", "decltype", "template_argument_list"}) {
      if (outer.Is(kind)) return false;
    }
  }
  return true;
}

bool HasWord(std::string_view text, const std::set<std::string, std::less<>>& words) {
  const auto is_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end > at && words.contains(text.substr(at, end - at))) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

}  // namespace

void FindWholeAccesses(const SyntaxNode& node, std::string_view code,
                       const std::function<void(const SyntaxNode&, WholeAccess)>& wrap) {
  const auto find = [&](const SyntaxNode& place, WholeAccess access) {
    if (IsDereference(place)) wrap(place, access);
  };
  if (node.Is("init_declarator")) {
    const SyntaxNode declarator = node.Field("declarator"), type = node.Parent().Field("type");
    if (declarator && declarator.Is("identifier") && type &&
        !MayNameReference(code, type.First(), type.Last())) {
      find(node.Field("value"), WholeAccess::kLoad);
    }
  } else if (node.Is("return_statement")) {
    const auto children = node.Children();
    if (children.size() == 1 && ReturnsValue(node, code)) find(children[0], WholeAccess::kLoad);
  } else if (node.Is("expression_statement")) {
    const auto children = node.Children();
    if (children.size() != 1 || !children[0].Is("assignment_expression")) return;
    const SyntaxNode sign = children[0].Field("operator");
    const SyntaxNode right = children[0].Field("right");
    // The type of an initializer list is known only from the location itself.
    if (!sign || sign.Text() != "=" || !right || right.Is("initializer_list")) return;
    find(children[0].Field("left"), WholeAccess::kStore);
    find(right, WholeAccess::kLoad);
  }
}

std::set<std::string, std::less<>> DeviceWords(const SyntaxNode& root) {
  std::set<std::string, std::less<>> words = {"__global__", "__device__"};
  ForEachNode(root, [&](const SyntaxNode& node) {
    if (!node.Is("preproc_def")) return;
    const SyntaxNode name = node.Field("name"), value = node.Field("value");
    if (name && value && HasWord(value.Text(), words)) words.insert(std::string(name.Text()));
  });
  return words;
}

bool IsAlignedPlace(const SyntaxNode& node) {
  return (IsDereference(node) || IsReferenceCast(node)) && !node.HasError() && IsAccessed(node);
}

bool IsAlignedPlace(const SyntaxNode& node, std::string_view code,
                    const std::set<std::string, std::less<>>& device_words) {
  return IsAlignedPlace(node) && IsInDeviceCode(node, code, device_words);
}

bool IsInDeviceCode(const SyntaxNode& node, std::string_view code,
                    const std::set<std::string, std::less<>>& device_words) {
  for (SyntaxNode outer = node.Parent(); outer; outer = outer.Parent()) {
    if (!outer.Is("function_definition") && !outer.Is("lambda_expression")) continue;
    const SyntaxNode body = outer.Field("body");
    if (!body || body.First() > node.First()) continue;
    // Macros before the definition are no part of the tree (BlankAttributes()).
    const std::size_t before = code.substr(0, outer.First()).find_last_of(";{}");
    const std::size_t first = before == code.npos ? 0 : before;
    if (HasWord(code.substr(first, body.First() - first), device_words)) return true;
  }
  return false;
}

}  // namespace kernelmill
