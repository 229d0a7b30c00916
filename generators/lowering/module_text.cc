#include "generators/lowering/module_text.h"

namespace kernelmill {
namespace {

std::string TextOf(const SourceName& name) {
  return std::string(name.word) + (name.number > 0 ? std::to_string(name.number) : "");
}

}  // namespace

ModuleText ModuleTextOf(const OperatorGraph& graph, const SourcePlan& plan,
                        std::string_view reference) {
  ModuleText module;
  const std::size_t begin = reference.find("    def __init__(");
  const std::size_t end = reference.find("\n    def forward(");
  if (begin != reference.npos && end != reference.npos && begin < end) {
    module.constructor = reference.substr(begin, end - begin);
  }
  for (const ValueId id : plan.inputs()) {
    module.inputs.push_back(TextOf(plan.value(id).first_name));
  }
  module.values.resize(graph.values().size());
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    const Value& value = graph.values()[i];
    const SourceName& name = plan.value(static_cast<ValueId>(i)).name;
    if (value.role == ValueRole::kInput) {
      module.values[i] = TextOf(plan.value(static_cast<ValueId>(i)).first_name);
    } else if (value.role != ValueRole::kResult && value.node < 0) {
      module.values[i] = "self." + TextOf(name);
    } else if (value.role != ValueRole::kResult) {
      // A module of torch calls its parameters as the operator's row does.
      const Node& node = graph.nodes()[value.node];
      const auto operands = graph.operands(node);
      for (std::size_t k = 0; k < operands.size() && k < node.op->operands.size(); ++k) {
        if (operands[k] != static_cast<ValueId>(i)) continue;
        module.values[i] = "self." + TextOf(plan.node(value.node).member) + '.' +
                           std::string(node.op->operands[k].name);
      }
    }
  }
  return module;
}

}  // namespace kernelmill
