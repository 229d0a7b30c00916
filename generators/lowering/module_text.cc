#include "generators/lowering/module_text.h"

#include <algorithm>
#include <cstdlib>

namespace kernelmill {
namespace {

// The text of a number of `node` that is `at_large` and `at_small` at the two sizes: an expression
// of sizes if it is a size, otherwise the number at the sizes `at`.
std::string NumberText(const OperatorGraph& large, const OperatorGraph& small, const Node& node,
                       const ModuleText& module, SourceSizes at, std::int64_t at_large,
                       std::int64_t at_small) {
  const auto fits = [&](std::int64_t a, std::int64_t b) { return a == at_large && b == at_small; };
  const bool is_size =
      std::any_of(large.sizes().begin(), large.sizes().end(),
                  [&](const SizeVariable& size) { return fits(size.value, size.small); });
  if (!is_size) return std::to_string(at == SourceSizes::kLarge ? at_large : at_small);
  const auto operands = large.operands(node);
  if (!operands.empty() && operands[0] != kAbsent) {
    const Shape &wide = large.value(operands[0]).type.shape,
                &narrow = small.value(operands[0]).type.shape;
    for (int d = 0; d < wide.rank(); ++d) {
      if (fits(wide[d], narrow[d])) return "@.size(" + std::to_string(d) + ")";
    }
  }
  for (const SizeVariable& size : large.sizes()) {
    if (!fits(size.value, size.small)) continue;
    const std::string member = "self." + std::string(size.name);
    if (module.constructor.find(member + " = ") != std::string::npos) return member;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < large.values().size(); ++i) {
    const Value& value = large.values()[i];
    if (value.role != ValueRole::kInput || next == module.inputs.size()) continue;
    const Shape &wide = value.type.shape, &narrow = small.values()[i].type.shape;
    for (int d = 0; d < wide.rank(); ++d) {
      if (fits(wide[d], narrow[d])) return module.inputs[next] + ".size(" + std::to_string(d) + ")";
    }
    ++next;
  }
  return std::to_string(at == SourceSizes::kLarge ? at_large : at_small);
}

struct AttributeText {
  bool on_self = false;  // The node's numbers are arguments of __init__.
  SourceSizes at = SourceSizes::kLarge;
};

// The Python text of each attribute. `number` gives the text of a number that is a at the large and
// b at the small sizes.
template <typename Number>
std::vector<std::string> AttributeTexts(const OperatorGraph& large, const OperatorGraph& small,
                                        const Node& node, const ModuleText& module,
                                        AttributeText how, Number number) {
  const auto [on_self, at] = how;
  std::vector<std::string> texts;
  const Node& same = small.nodes()[&node - large.nodes().data()];
  const auto at_large = large.attributes(node), at_small = small.attributes(same);
  for (std::size_t a = 0; a < at_large.size(); ++a) {
    const Attribute &first = at_large[a], &second = at_small[a];
    std::string text;
    const bool counts =
        first.kind() == Attribute::Kind::kInteger || first.kind() == Attribute::Kind::kSize ||
        first.kind() == Attribute::Kind::kFlag || first.kind() == Attribute::Kind::kChoice;
    const std::string member = "self." + std::string(node.op->attributes[a].name);
    const bool is_member = on_self && module.constructor.find(member + " = ") != std::string::npos;
    if (first.kind() == Attribute::Kind::kIntegers && is_member &&
        node.op->family == OperatorFamily::kPooling) {
      // A tuple of equal numbers is written as one number.
      const auto wide = first.integers();
      const bool alike =
          std::all_of(wide.begin(), wide.end(), [&](std::int64_t size) { return size == wide[0]; });
      for (std::size_t i = 0; i < wide.size(); ++i) {
        text += (i == 0 ? "" : ", ") + member + (alike ? "" : '[' + std::to_string(i) + ']');
      }
    } else if (first.kind() == Attribute::Kind::kIntegers) {
      const auto wide = first.integers(), narrow = second.integers();
      for (std::size_t i = 0; i < wide.size(); ++i) {
        const std::int64_t other = i < narrow.size() ? narrow[i] : wide[i];
        // A tuple that is the same at all sizes holds no sizes, but dimensions or paddings.
        text += (i == 0 ? "" : ", ") +
                (first == second ? std::to_string(wide[i]) : number(wide[i], other));
      }
    } else if (is_member && first.kind() == Attribute::Kind::kInteger) {
      text = member;
    } else if (counts) {
      const bool bound = large.size_variables(node)[a] != kNoVariable;
      text = bound ? number(first.integer(), second.integer())
                 : std::to_string(at == SourceSizes::kLarge ? first.integer() : second.integer());
    }
    texts.push_back(text);
  }
  return texts;
}

// "conv", or "features[2]" for a member of an nn.Sequential.
std::string MemberText(const OperatorGraph& graph, const SourcePlan& plan, int node) {
  int last = node;
  while (plan.node(last).IsInSequence() && last + 1 < static_cast<int>(graph.nodes().size())) {
    ++last;
  }
  const PlannedNode& planned = plan.node(last);
  const std::string name = planned.member.Text();
  return planned.first == last ? name : name + '[' + std::to_string(node - planned.first) + ']';
}

// The name of the module's parameter that is operand `k`.
std::string ParameterName(const OperatorGraph& graph, const Node& node, std::size_t k) {
  const std::vector<OperandRow>& rows = node.op->operands;
  if (node.op->name == "multi_head_attention_forward") {
    return k == 4 ? "out_proj.weight" : k == 6 ? "out_proj.bias" : std::string(rows[k].name);
  }
  if (k < rows.size() && rows[k].role != OperandRow::Role::kParameters) {
    return std::string(rows[k].name);
  }
  // Recurrent layers have these parameters for each layer and direction: weight_ih_l0,
  // weight_ih_l0_reverse.
  constexpr std::string_view kNames[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
  const auto flag = [&](std::string_view name) {
    for (std::size_t a = 0; a < node.op->attributes.size(); ++a) {
      if (node.op->attributes[a].name == name) return graph.attributes(node)[a].flag();
    }
    return false;
  };
  const std::size_t each = flag("bias") ? 4 : 2, directions = flag("bidirectional") ? 2 : 1;
  const std::size_t at = k - (rows.size() - 1), index = at / each;
  return std::string(kNames[at % each]) + "_l" + std::to_string(index / directions) +
         (index % directions == 1 ? "_reverse" : "");
}

}  // namespace

ModuleText ModuleTextOfPlan(const OperatorGraph& large, const OperatorGraph& small,
                            const SourcePlan& plan, std::string_view reference, SourceSizes at) {
  const OperatorGraph& graph = large;
  ModuleText module;
  const std::size_t begin = reference.find("    def __init__(");
  const std::size_t end = reference.find("\n    def forward(");
  if (begin != reference.npos && end != reference.npos && begin < end) {
    module.constructor = reference.substr(begin, end - begin);
  }
  for (const ValueId id : plan.inputs()) {
    module.inputs.push_back(plan.value(id).first_name.Text());
  }
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    module.modules.push_back(plan.node(static_cast<int>(i)).spelling.form == SpellingForm::kModule);
  }
  for (const Node& node : graph.nodes()) {
    const auto number = [&](std::int64_t wide, std::int64_t narrow) {
      return NumberText(large, small, node, module, at, wide, narrow);
    };
    const auto index = static_cast<int>(&node - graph.nodes().data());
    module.attributes.push_back(AttributeTexts(
        large, small, node, module, {.on_self = plan.node(index).hoisted, .at = at}, number));
  }
  module.values.resize(graph.values().size());
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    const Value& value = graph.values()[i];
    const SourceName& name = plan.value(static_cast<ValueId>(i)).name;
    if (value.role == ValueRole::kInput) {
      module.values[i] = plan.value(static_cast<ValueId>(i)).first_name.Text();
    } else if (value.role != ValueRole::kResult && value.node < 0) {
      module.values[i] = "self." + name.Text();
    } else if (value.role != ValueRole::kResult) {
      // The parameters of torch's modules have the names of the row's operands.
      const Node& node = graph.nodes()[value.node];
      const auto operands = graph.operands(node);
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k] != static_cast<ValueId>(i)) continue;
        module.values[i] =
            "self." + MemberText(graph, plan, value.node) + '.' + ParameterName(graph, node, k);
      }
    }
  }
  return module;
}

}  // namespace kernelmill
