#include "generators/lowering/contractions/contraction_spec.h"

#include <algorithm>
#include <cstdlib>

#include "generators/lowering/contractions/contraction_writer.h"
#include "generators/lowering/contractions/convolution_spec.h"
#include "generators/lowering/contractions/product_spec.h"
#include "generators/lowering/operator_class.h"

namespace kernelmill {

std::string IndexAxes::Count() const {
  std::vector<std::string> sizes;
  for (const auto& [name, size] : axes) sizes.push_back(size);
  return GroupScope::Product(sizes);
}

std::string IndexAxes::Decoded(const GroupScope& scope, const std::string& index,
                               std::string_view code) const {
  std::string text;
  std::vector<std::string> behind;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto& [name, size] = axes[i];
    if (UsesName(code, name) && name != index) {
      const std::string product = GroupScope::Product(behind);
      std::string value = index;
      if (product != "1") {
        value += " / " + (product.find(' ') == product.npos ? product : '(' + product + ')');
      }
      if (i > 0) value += " % " + GroupScope::Parenthesized(size);
      text += "const " + scope.index() + ' ' + name + " = " + value + ";\n";
    }
    behind.insert(behind.begin(), size);
  }
  return text;
}

namespace {

// Removes axes that only repeat their index: the one axis of an index gets the name of the index,
// and where axes follow each other in memory as their index enumerates them, the index stands for
// them. The axes that are left have to be decoded.
void NameByIndices(ContractionSpec* spec) {
  const std::vector<std::string*> texts = {&spec->a.statements, &spec->a.condition, &spec->a.value,
                                           &spec->b.statements, &spec->b.condition, &spec->b.value,
                                           &spec->position,     &spec->has_result,  &spec->result};
  const std::pair<std::string, IndexAxes*> indices[] = {
      {"group", &spec->group}, {"m", &spec->m}, {"n", &spec->n}, {"k", &spec->k}};
  for (const auto& [index, all] : indices) {
    if (all->axes.size() == 1) {
      std::string& axis = all->axes[0].first;
      // Phases of a transposed convolution keep their names.
      if (index == "group" && !axis.starts_with("i_")) continue;
      for (std::string* text : texts) *text = ReplaceName(*text, axis, index);
      axis = index;
    } else if (!all->axes.empty() && index != "k") {
      const std::string run = Horner(all->axes);
      for (std::string* text : texts) {
        if (*text == run) *text = index;
        for (const auto& [old, now] :
             {std::pair('(' + run + ')', index), std::pair('[' + run + ']', '[' + index + ']')}) {
          for (std::size_t at = text->find(old); at != text->npos; at = text->find(old, at)) {
            text->replace(at, old.size(), now);
          }
        }
      }
    }
  }
}

}  // namespace

std::string GroupsOf(GroupScope& scope, const Node& node) {
  const std::int64_t groups = AttributeOf(scope.graph(), node, "groups").integer();
  const ValueId input = scope.graph().operands(node)[0];
  const Shape& weight = scope.TypeOf(scope.graph().operands(node)[1]).shape;
  const std::vector<std::string> sizes = scope.Sizes(input);
  // A depthwise convolution: the number of groups is that of the channels, at any size.
  if (groups > 1 && groups == weight[0]) return sizes[sizes.size() - (weight.rank() - 1)];
  return std::to_string(groups);
}

std::optional<ContractionSpec> ContractionSpecOf(GroupScope* scope) {
  const OperatorFamily family = scope->head().op->family;
  const bool convolves = family == OperatorFamily::kConvolution ||
                         family == OperatorFamily::kTransposedConvolution;
  std::optional<ContractionSpec> spec = convolves ? ConvolutionSpecOf(scope) : ProductSpecOf(scope);
  if (spec) NameByIndices(&*spec);
  return spec;
}

std::optional<ContractionSpec> SpecOfContraction(const OperatorGraph& graph,
                                                 const FusionGroup& group) {
  if (group.head < 0) return std::nullopt;
  const std::vector<std::string> names(graph.values().size());
  GroupScope scope(graph, group, kCudaBackend, names, "");
  return ContractionSpecOf(&scope);
}

bool HasContractionSpec(const OperatorGraph& graph, const FusionGroup& group) {
  return SpecOfContraction(graph, group).has_value();
}

std::int64_t AttributeAt(const Attribute& attribute, int i) {
  const auto integers = attribute.integers();
  if (integers.empty()) return attribute.integer();
  return integers[std::min<std::size_t>(i, integers.size() - 1)];
}

std::string WindowCount(const std::string& size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding, std::int64_t dilation) {
  const std::int64_t offset = 2 * padding - dilation * (kernel - 1) - 1;
  const auto plus = [](const std::string& text, std::int64_t number) {
    if (number == 0) return text;
    return text + (number > 0 ? " + " : " - ") + std::to_string(std::abs(number));
  };
  if (stride == 1) return plus(size, offset + 1);
  return '(' + plus(size, offset) + ") / " + std::to_string(stride) + " + 1";
}

}  // namespace kernelmill
