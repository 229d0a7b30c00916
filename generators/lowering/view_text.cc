#include "generators/lowering/view_text.h"

#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

std::string NumberText(std::int64_t number) { return std::to_string(number); }

std::string ListText(const Attribute& attribute) {
  if (attribute.kind() != Attribute::Kind::kIntegers) return NumberText(attribute.integer());
  std::string text;
  for (const std::int64_t number : attribute.integers()) {
    text += (text.empty() ? "" : ", ") + NumberText(number);
  }
  return text;
}

}  // namespace

std::string ViewText(const OperatorGraph& graph, const Node& node, const std::string& operand) {
  const std::string_view name = node.op->name;
  std::string arguments;
  const auto attributes = graph.attributes(node);
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].is_none()) continue;
    const bool list = attributes[i].kind() == Attribute::Kind::kIntegers;
    const std::string text = list && attributes.size() > 1 ? "(" + ListText(attributes[i]) + ",)"
                                                           : ListText(attributes[i]);
    arguments += (arguments.empty() ? "" : ", ") + text;
  }
  return operand + '.' + std::string(name) + '(' + arguments + ')';
}

}  // namespace kernelmill
