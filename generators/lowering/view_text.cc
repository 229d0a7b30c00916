#include "generators/lowering/view_text.h"

#include "generators/lowering/operator_class.h"

namespace kernelmill {

std::string ViewText(const OperatorGraph& graph, const Node& node,
                     const std::vector<std::string>& operands,
                     const std::vector<std::string>& attributes) {
  const std::string_view name = node.op->name;
  const auto given = graph.attributes(node);
  const std::string& x = operands[0];
  std::vector<std::string> texts = attributes;
  for (std::string& text : texts) {
    for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + x.size())) {
      text.replace(at, 1, x);
    }
  }
  const auto text_of = [&](std::string_view word) {
    const int index = FindAttribute(*node.op, word);
    return index < 0 || static_cast<std::size_t>(index) >= texts.size() ? std::string()
                                                                        : texts[index];
  };
  if (name == "mT") return x + ".mT";
  if (name == "expand_as") return operands.size() < 2 ? "" : x + ".expand_as(" + operands[1] + ")";
  // torch's view may have other strides than the reference's, so use reshape.
  if (name == "view") return x + ".reshape(" + text_of("size") + ")";
  if (name == "unflatten")
    return x + ".unflatten(" + text_of("dim") + ", (" + text_of("sizes") + ",))";
  if (name == "unfold_dimension") {
    return x + ".unfold(" + text_of("dimension") + ", " + text_of("size") + ", " + text_of("step") +
           ")";
  }
  if (name == "slice") {
    const std::int64_t dim = AttributeOf(graph, node, "dim").integer();
    const int rank = graph.value(graph.operands(node)[0]).type.shape.rank();
    std::string place;
    for (std::int64_t d = 0; d < (dim < 0 ? dim + rank : dim); ++d) place += ":, ";
    place += text_of("start") + ":" + text_of("stop");
    const std::string step = text_of("step");
    if (!step.empty() && step != "1") place += ":" + step;
    return x + '[' + place + ']';
  }
  if (name == "split_with_sizes") {
    return x + ".split([" + text_of("split_sizes") + "], " + text_of("dim") + ")";
  }
  std::string arguments;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (given[i].is_none()) continue;
    const bool tuple =
        given[i].kind() == Attribute::Kind::kIntegers && (texts.size() > 1 || name == "squeeze");
    arguments += (arguments.empty() ? "" : ", ") + (tuple ? "(" + texts[i] + ",)" : texts[i]);
  }
  return x + '.' + std::string(name) + '(' + arguments + ')';
}

}  // namespace kernelmill
