#include "stages/mine/example_argument.h"

#include <array>

#include "corpora/name_prior.h"
#include "manifests/ascii.h"
#include "parsers/python_signature.h"

namespace kernelmill {
namespace {

// The annotation without quotes, `Optional[…]` and `… | None`.
std::string_view Plain(std::string_view text) {
  while (!text.empty() && (text.front() == '"' || text.front() == '\'')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
  if (text.starts_with("Optional[") && text.ends_with("]")) text = text.substr(9, text.size() - 10);
  return text.substr(0, text.find(" |"));
}

std::optional<std::string> FirstMember(const SyntaxNode& enumeration) {
  for (const SyntaxNode& statement : enumeration.Field("body").Children()) {
    const auto children = statement.Children();
    if (!statement.Is("expression_statement") || children.empty()) continue;
    if (children[0].Is("assignment") && children[0].Field("left").Is("identifier")) {
      return std::string(children[0].Field("left").Text());
    }
  }
  return std::nullopt;
}

std::string ValueFor(std::string_view name, std::string_view annotation) {
  const auto prior = MostCommonArgumentOf(name);
  return prior ? *prior : FallbackOf(name, annotation);
}

}  // namespace

std::optional<std::string> ConstructionOf(std::string_view annotation, const SyntaxNode& module) {
  const std::string name(Plain(annotation));
  const SyntaxNode definition = name.empty() ? SyntaxNode() : FindDefinition(module, name);
  if (!definition.Is("class_definition")) return std::nullopt;
  const SyntaxNode bases = definition.Field("superclasses");
  if (bases && bases.Text().find("Enum") != std::string_view::npos) {
    const auto member = FirstMember(definition);
    return member ? std::optional(name + "." + *member) : std::nullopt;
  }
  std::string arguments;
  const auto give = [&](std::string_view field, std::string_view type) {
    if (!arguments.empty()) arguments += ", ";
    arguments += std::string(field) + "=" + ValueFor(field, type);
  };
  if (const SyntaxNode constructor = FindConstructor(module, name)) {
    const auto parameters = ReadParameters(constructor);
    for (std::size_t i = 1; i < parameters.size(); ++i) {
      const PythonParameter& parameter = parameters[i];
      if (parameter.default_value || parameter.kind == PythonParameter::Kind::kRest ||
          parameter.kind == PythonParameter::Kind::kKeywords) {
        continue;
      }
      give(parameter.name, parameter.annotation ? parameter.annotation.Text() : "");
    }
    return name + "(" + arguments + ")";
  }
  for (const SyntaxNode& statement : definition.Field("body").Children()) {
    const auto children = statement.Children();
    if (!statement.Is("expression_statement") || children.empty()) continue;
    const SyntaxNode field = children[0];
    if (field.Is("assignment") && field.Field("type") && !field.Field("right")) {
      give(field.Field("left").Text(), field.Field("type").Text());
    }
  }
  return name + "(" + arguments + ")";
}

std::string FallbackOf(std::string_view name, std::string_view annotation) {
  const bool sequence = HoldsWord(annotation, "tuple") || HoldsWord(annotation, "Tuple") ||
                        HoldsWord(annotation, "list") || HoldsWord(annotation, "List") ||
                        HoldsWord(annotation, "Sequence");
  if (sequence && HoldsWord(annotation, "int")) return "(2, 2)";
  if (sequence && HoldsWord(annotation, "float")) return "(0.5, 1.0)";
  if (HoldsWord(annotation, "int")) return "2";
  if (HoldsWord(annotation, "float")) return "0.5";
  if (HoldsWord(annotation, "bool")) return "True";
  if (HoldsWord(annotation, "Module") || HoldsWord(annotation, "Callable")) return "torch.nn.GELU()";
  constexpr std::array<std::string_view, 6> kFlags = {"is_",  "use_", "with_",
                                                      "has_", "do_",  "add_"};
  for (std::string_view flag : kFlags) {
    if (name.starts_with(flag)) return "True";
  }
  return name == "identity" || name == "shortcut" || name == "residual" ? "True" : "2";
}

}  // namespace kernelmill
