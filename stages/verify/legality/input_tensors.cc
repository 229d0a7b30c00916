#include "stages/verify/legality/input_tensors.h"

#include <cstddef>
#include <string>

#include "parsers/cuda_uses.h"
#include "stages/verify/legality/host_code.h"

namespace kernelmill {
namespace {

// Calls of calls are followed this far.
constexpr int kDepth = 4;

SyntaxNode Around(SyntaxNode node) {
  for (node = node.Parent(); node; node = node.Parent()) {
    if (node.Is("function_definition") || node.Is("lambda_expression")) return node;
  }
  return node;
}

SyntaxNode DeclaratorOf(const SyntaxNode& function) {
  SyntaxNode found = function.Field("declarator");
  while (found && !found.Is("function_declarator") && !found.Is("abstract_function_declarator")) {
    found = found.Field("declarator");
  }
  return found;
}

bool IsInput(const SyntaxTree& tree, const SyntaxNode& use, std::string_view name, int depth);

// Whether all calls of the function in the text give an input as this parameter.
bool AllCallsGiveInputs(const SyntaxTree& tree, std::string_view function, std::size_t parameter,
                        int depth) {
  bool all = true;
  ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
    if (!all || !node.Is("call_expression") || !node.Field("function")) return;
    const std::string called = QualifiedNameOf(node.Field("function"));
    if (LastNameOf(called) != function) return;
    const auto arguments = node.Field("arguments").Children();
    all = parameter < arguments.size() && depth > 0 &&
          IsInput(tree, node, LeadingName(arguments[parameter].Text()), depth - 1);
  });
  return all;
}

// Whether every value that the function gives to the variable is made of an input.
bool AllValuesAreInputs(const SyntaxTree& tree, const SyntaxNode& function, std::string_view name,
                        bool parameter, int depth) {
  bool all = true, any = parameter;
  ForEachNode(function, [&](const SyntaxNode& node) {
    SyntaxNode value;
    if (node.Is("init_declarator") && DeclaredBy(node) == name) value = node.Field("value");
    if (node.Is("assignment_expression") && node.Field("left").Text() == name) {
      value = node.Field("right");
    }
    if (!value || !all) return;
    any = true;
    const std::string_view from = LeadingName(value.Text());
    all = from == name || (depth > 0 && IsInput(tree, node, from, depth - 1));
  });
  return all && any;
}

bool IsInput(const SyntaxTree& tree, const SyntaxNode& use, std::string_view name, int depth) {
  const SyntaxNode function = Around(use);
  if (!function || name.empty()) return false;
  const SyntaxNode declarator = DeclaratorOf(function);
  const SyntaxNode parameters = declarator ? declarator.Field("parameters") : SyntaxNode();
  std::size_t number = 0;
  if (parameters) {
    for (const SyntaxNode& parameter : parameters.Children()) {
      if (DeclaredBy(parameter.Field("declarator")) == name) {
        const SyntaxNode own = declarator.Field("declarator");
        const std::string called = own ? QualifiedNameOf(own) : "";
        return AllValuesAreInputs(tree, function, name, true, depth) &&
               AllCallsGiveInputs(tree, LastNameOf(called), number, depth);
      }
      ++number;
    }
  }
  if (AllValuesAreInputs(tree, function, name, false, depth)) return true;
  // A lambda sees the variables of the function around it.
  return function.Is("lambda_expression") && depth > 0 && IsInput(tree, function, name, depth - 1);
}

}  // namespace

std::string_view LeadingName(std::string_view expression) {
  const auto is_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::size_t last = 0;
  while (last < expression.size() && is_name(expression[last])) ++last;
  const std::string_view rest = expression.substr(last);
  // A call or a name with a scope is no variable.
  return rest.starts_with("(") || rest.starts_with("::") ? std::string_view()
                                                          : expression.substr(0, last);
}

bool IsInputTensor(const SyntaxTree& tree, const SyntaxNode& use, std::string_view name) {
  return IsInput(tree, use, name, kDepth);
}

}  // namespace kernelmill
