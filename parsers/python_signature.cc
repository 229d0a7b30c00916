#include "parsers/python_signature.h"

#include <set>

namespace kernelmill {
namespace {

SyntaxNode Undecorated(const SyntaxNode& node) {
  return node.Is("decorated_definition") ? node.Field("definition") : node;
}

}  // namespace

std::vector<PythonParameter> ReadParameters(const SyntaxNode& function) {
  std::vector<PythonParameter> parameters;
  const SyntaxNode list = function.Field("parameters");
  if (!list) return parameters;
  bool keyword_only = false;
  for (const SyntaxNode& node : list.Children()) {
    if (node.Is("keyword_separator")) {
      keyword_only = true;
      continue;
    }
    if (node.Is("positional_separator")) continue;
    PythonParameter parameter;
    parameter.first = node.First();
    parameter.last = node.Last();
    SyntaxNode target = node;
    if (node.Is("default_parameter") || node.Is("typed_default_parameter")) {
      target = node.Field("name");
      parameter.default_value = node.Field("value");
      parameter.annotation = node.Field("type");
    } else if (node.Is("typed_parameter")) {
      const auto children = node.Children();
      if (children.empty()) continue;
      target = children[0];
      parameter.annotation = node.Field("type");
    }
    if (keyword_only) parameter.kind = PythonParameter::Kind::kKeywordOnly;
    if (target.Is("list_splat_pattern")) {
      parameter.kind = PythonParameter::Kind::kRest;
      keyword_only = true;
    } else if (target.Is("dictionary_splat_pattern")) {
      parameter.kind = PythonParameter::Kind::kKeywords;
    }
    const auto inner = target.Children();
    if (!target.Is("identifier") && !inner.empty()) target = inner[0];
    parameter.name = target.Text();
    parameters.push_back(parameter);
  }
  return parameters;
}

SyntaxNode FindDefinition(const SyntaxNode& module, std::string_view name) {
  SyntaxNode found;
  for (const SyntaxNode& statement : module.Children()) {
    const SyntaxNode node = Undecorated(statement);
    if ((node.Is("class_definition") || node.Is("function_definition")) &&
        node.Field("name").Text() == name) {
      found = node;
    }
  }
  return found;
}

SyntaxNode FindMethod(const SyntaxNode& class_node, std::string_view name) {
  SyntaxNode found;
  const SyntaxNode body = class_node.Field("body");
  if (!body) return found;
  for (const SyntaxNode& statement : body.Children()) {
    const SyntaxNode node = Undecorated(statement);
    if (node.Is("function_definition") && node.Field("name").Text() == name) found = node;
  }
  return found;
}

SyntaxNode FindInherited(const SyntaxNode& module, std::string_view class_name,
                         std::string_view method) {
  std::vector<std::string_view> pending = {class_name};
  std::set<std::string_view> seen;
  while (!pending.empty()) {
    const std::string_view name = pending.back();
    pending.pop_back();
    const SyntaxNode node = FindDefinition(module, name);
    if (!node.Is("class_definition") || !seen.insert(name).second) continue;
    if (const SyntaxNode found = FindMethod(node, method)) return found;
    const SyntaxNode bases = node.Field("superclasses");
    if (!bases) continue;
    const auto children = bases.Children();
    for (auto base = children.rbegin(); base != children.rend(); ++base) {
      if (base->Is("identifier")) pending.push_back(base->Text());
    }
  }
  return SyntaxNode();
}

SyntaxNode FindConstructor(const SyntaxNode& module, std::string_view class_name) {
  return FindInherited(module, class_name, "__init__");
}

std::string WithPositionalParameters(const std::string& code, std::string_view class_name,
                                     std::string_view method) {
  // Most texts contain no separator and need not be parsed.
  if (code.find("*,") == std::string::npos) return code;
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, code);
  const SyntaxNode function = FindInherited(tree.Root(), class_name, method);
  if (!function) return code;
  // Without the separator, required parameters must not follow ones with defaults.
  bool defaulted = false;
  for (const PythonParameter& parameter : ReadParameters(function)) {
    if (parameter.default_value) defaulted = true;
    if (parameter.kind == PythonParameter::Kind::kKeywordOnly && defaulted &&
        !parameter.default_value) {
      return code;
    }
  }
  for (const SyntaxNode& node : function.Field("parameters").AllChildren()) {
    if (!node.Is("keyword_separator")) continue;
    std::size_t last = node.Last();
    while (last < code.size() && (code[last] == ',' || code[last] == ' ')) ++last;
    // A separator on a line of its own is removed with the line.
    std::size_t first = node.First();
    while (first > 0 && (code[first - 1] == ' ' || code[first - 1] == '\t')) --first;
    if (first > 0 && code[first - 1] == '\n' && last < code.size() && code[last] == '\n') {
      ++last;
    } else {
      first = node.First();
    }
    return code.substr(0, first) + code.substr(last);
  }
  return code;
}

}  // namespace kernelmill
