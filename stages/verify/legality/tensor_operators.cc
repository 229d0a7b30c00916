#include "stages/verify/legality/tensor_operators.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "parsers/cuda_uses.h"
#include "stages/verify/legality/host_code.h"

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

// Methods of a tensor that return a tensor.
constexpr std::array<std::string_view, 22> kViews = {
    "contiguous", "to",     "view",   "reshape",   "flatten", "squeeze", "unsqueeze", "transpose",
    "permute",    "t",      "detach", "clone",     "expand",  "narrow",  "select",    "cuda",
    "view_as",    "slice",  "alias",  "expand_as", "cpu",     "toType"};

bool ReturnsTensor(std::string_view method) {
  return std::find(kViews.begin(), kViews.end(), method) != kViews.end();
}

bool IsTensorType(std::string_view type) {
  return type == "Tensor" || type.ends_with("::Tensor");
}

bool IsTensor(SyntaxNode node, const Names& tensors) {
  while (node && node.Is("parenthesized_expression") && node.Children().size() == 1) {
    node = node.Children()[0];
  }
  if (!node) return false;
  if (node.Is("identifier")) return tensors.contains(node.Text());
  if (node.Is("binary_expression")) {
    return IsTensor(node.Field("left"), tensors) || IsTensor(node.Field("right"), tensors);
  }
  if (!node.Is("call_expression")) return false;
  const SyntaxNode function = node.Field("function");
  if (!function) return false;
  if (function.Is("field_expression")) {
    return ReturnsTensor(function.Field("field").Text()) &&
           IsTensor(function.Field("argument"), tensors);
  }
  const std::string chain = QualifiedNameOf(function);
  if (!chain.starts_with("at::") && !chain.starts_with("torch::")) return false;
  const std::string_view made = LastNameOf(chain);
  return made.starts_with("empty") || made.starts_with("zeros") || made.starts_with("ones") ||
         made.starts_with("full") || made.starts_with("rand");
}

// The tensors that a function declares, its parameters among them.
Names TensorsOf(const SyntaxNode& function) {
  Names tensors;
  for (std::size_t size = 1; size != tensors.size();) {
    size = tensors.size();
    ForEachNode(function, [&](const SyntaxNode& node) {
      const bool declares = node.Is("declaration");
      if (!declares && !node.Is("parameter_declaration") &&
          !node.Is("optional_parameter_declaration")) {
        return;
      }
      const SyntaxNode type = node.Field("type");
      const bool is_tensor = type && IsTensorType(type.Text());
      const bool is_auto = type && type.Text() == "auto";
      if (!is_tensor && !is_auto) return;
      for (const SyntaxNode& child : declares ? node.Children() : std::vector<SyntaxNode>{node}) {
        if (child.Is("function_declarator")) continue;
        const bool init = child.Is("init_declarator");
        if (is_auto && !(init && IsTensor(child.Field("value"), tensors))) continue;
        const SyntaxNode declarator = init || !declares ? child.Field("declarator") : child;
        if (declares && !init && !child.Is("identifier")) continue;
        tensors.insert(DeclaredBy(declarator));
      }
    });
    tensors.erase(std::string_view());
  }
  return tensors;
}

bool IsBackward(const SyntaxNode& function) {
  const SyntaxNode declarator = function.Field("declarator");
  const std::string_view head = declarator ? declarator.Text() : std::string_view();
  return IsBackwardName(head.substr(0, head.find('(')));
}

bool Computes(const SyntaxNode& node, const Names& tensors) {
  const SyntaxNode sign = node.Field("operator");
  if (!sign) return false;
  if (node.Is("binary_expression")) {
    return sign.Text() != "<<" && sign.Text() != "," &&
           (IsTensor(node.Field("left"), tensors) || IsTensor(node.Field("right"), tensors));
  }
  if (node.Is("assignment_expression")) {
    return sign.Text() != "=" && IsTensor(node.Field("left"), tensors);
  }
  return node.Is("unary_expression") && IsTensor(node.Field("argument"), tensors);
}

}  // namespace

std::vector<VerdictFinding> OperatorsOnTensors(const SyntaxTree& tree, std::string_view file,
                                               const std::vector<TextRange>& skipped) {
  std::vector<VerdictFinding> findings;
  ForEachNode(tree.Root(), [&](const SyntaxNode& function) {
    if (!function.Is("function_definition") || IsBackward(function)) return;
    const Names tensors = TensorsOf(function);
    if (tensors.empty()) return;
    ForEachNode(function, [&](const SyntaxNode& node) {
      if (!Computes(node, tensors)) return;
      const bool excused =
          std::any_of(skipped.begin(), skipped.end(),
                      [&](const TextRange& range) { return range.Holds(node); });
      if (excused) return;
      findings.push_back({"torch_compute", std::string(file),
                          static_cast<std::int64_t>(node.FirstLine()),
                          "computes with " + std::string(node.Field("operator").Text()) +
                              " on a tensor"});
    });
  });
  return findings;
}

}  // namespace kernelmill
