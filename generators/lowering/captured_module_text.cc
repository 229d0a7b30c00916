// ModuleTextOfCapture(): finds how the numbers in a captured module follow from its sizes.
#include <algorithm>
#include <iterator>
#include <optional>

#include "generators/lowering/module_text.h"
#include "generators/lowering/sizes/size_text.h"

namespace kernelmill {
namespace {

class CapturedModule {
 public:
  CapturedModule(const OperatorGraph& own, const std::vector<OperatorGraph>& others,
                 const std::vector<std::string>& names, std::vector<KnownSize> numbers) {
    graphs_.push_back(&own);
    for (const OperatorGraph& other : others) graphs_.push_back(&other);
    for (std::size_t i = 0; i < names.size(); ++i) {
      // "self.mask.to(x.device)" has the sizes of "self.mask".
      const std::string name = names[i].substr(0, names[i].find(".to("));
      if (!name.empty()) AddSizes(static_cast<ValueId>(i), name, &named_);
    }
    // The module's own numbers come last, because the sizes of tensors are preferred.
    named_.insert(named_.end(), std::make_move_iterator(numbers.begin()),
                  std::make_move_iterator(numbers.end()));
  }

  std::vector<std::string> Attributes(const Node& node) const {
    std::vector<KnownSize> known;
    const auto operands = graphs_[0]->operands(node);
    if (!operands.empty() && operands[0] != kAbsent) AddSizes(operands[0], "@", &known);
    known.insert(known.end(), named_.begin(), named_.end());
    std::vector<std::string> texts;
    for (std::size_t a = 0; a < node.op->attributes.size(); ++a) {
      texts.push_back(AttributeText(node, a, known));
    }
    return texts;
  }

 private:
  void AddSizes(ValueId id, const std::string& name, std::vector<KnownSize>* known) const {
    for (int d = 0; d < graphs_[0]->value(id).type.shape.rank(); ++d) {
      KnownSize size{name + ".size(" + std::to_string(d) + ")", {}};
      for (const OperatorGraph* graph : graphs_) size.at.push_back(graph->value(id).type.shape[d]);
      known->push_back(std::move(size));
    }
  }

  const Attribute& At(std::size_t graph, const Node& node, std::size_t attribute) const {
    const auto index = &node - graphs_[0]->nodes().data();
    return graphs_[graph]->attributes(graphs_[graph]->nodes()[index])[attribute];
  }

  static std::string NumberText(const std::vector<KnownSize>& known, const SizeSamples& number) {
    const bool negative =
        std::ranges::all_of(number, [](std::int64_t value) { return value < 0; });
    if (!negative) return SizeText(known, number).value_or(std::to_string(number[0]));
    // A negative number counts from the end.
    SizeSamples from_end;
    for (const std::int64_t value : number) from_end.push_back(-value);
    const std::optional<std::string> text = SizeText(known, from_end);
    if (!text) return std::to_string(number[0]);
    return text->find(' ') == text->npos ? '-' + *text : "-(" + *text + ')';
  }

  std::string IntegersText(const Node& node, std::size_t a,
                           const std::vector<KnownSize>& known) const {
    const bool shape = node.op->name == "reshape" || node.op->name == "view";
    std::vector<std::string> texts;
    std::vector<std::size_t> open;  // Positions that no size explains.
    const auto own = At(0, node, a).integers();
    for (std::size_t i = 0; i < own.size(); ++i) {
      SizeSamples number;
      for (std::size_t g = 0; g < graphs_.size(); ++g) {
        const auto there = At(g, node, a).integers();
        number.push_back(i < there.size() ? there[i] : own[i]);
      }
      // The first size of a reshape is a batch if it equals the batch at all sizes, even if the
      // text has it as a constant.
      const bool batch = shape && i == 0 && !known.empty() && known[0].at == number;
      const std::optional<std::string> text = SizeText(known, number);
      if (!text) open.push_back(i);
      texts.push_back(batch ? known[0].text : text.value_or(std::to_string(number[0])));
    }
    if (shape && open.size() == 1) texts[open[0]] = "-1";
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
  }

  std::string AttributeText(const Node& node, std::size_t a,
                            const std::vector<KnownSize>& known) const {
    using enum Attribute::Kind;
    const Attribute& own = At(0, node, a);
    SizeSamples number;
    if (own.kind() == kIntegers) {
      return IntegersText(node, a, known);
    }
    if (own.kind() == kFlag || own.kind() == kChoice) return std::to_string(own.integer());
    if (own.kind() != kInteger && own.kind() != kSize) return "";
    for (std::size_t g = 0; g < graphs_.size(); ++g) number.push_back(At(g, node, a).integer());
    return NumberText(known, number);
  }

  std::vector<const OperatorGraph*> graphs_;  // The module's own sizes come first.
  std::vector<KnownSize> named_;
};

}  // namespace

ModuleText ModuleTextOfCapture(const OperatorGraph& own, std::vector<OperatorGraph> others,
                               std::vector<std::string> names, std::vector<KnownSize> numbers,
                               ReferenceShell shell) {
  ModuleText module;
  module.imports = std::move(shell.imports);
  module.definitions = std::move(shell.definitions);
  module.bases = std::move(shell.bases);
  module.constructor = std::move(shell.members);
  module.inputs = std::move(shell.forward_names);
  module.modules.resize(own.nodes().size());
  const CapturedModule captured(own, others, names, std::move(numbers));
  for (const Node& node : own.nodes()) module.attributes.push_back(captured.Attributes(node));
  module.values = std::move(names);
  module.others = std::move(others);
  return module;
}

}  // namespace kernelmill
