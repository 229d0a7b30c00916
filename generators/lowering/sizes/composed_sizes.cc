#include <algorithm>

#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

SymbolicShape Without(SymbolicShape sizes, int dim) {
  sizes.erase(sizes.begin() + dim);
  return sizes;
}

// The sizes after selecting one or several elements along a dimension.
std::optional<SymbolicShape> ChosenSizes(GroupScope* scope, const Node& node) {
  const OperatorGraph& graph = scope->graph();
  const std::string_view name = node.op->name;
  SymbolicShape sizes = scope->Sizes(graph.operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  if (name != "topk" && name != "kthvalue" && name != "median_dim" && name != "mode") {
    return std::nullopt;
  }
  const int dim = DimensionOf(graph, node, "dim", rank);
  if (name == "topk") {
    sizes[dim] = scope->IntegerAttribute(node, "k");
    return sizes;
  }
  if (!AttributeOf(graph, node, "keepdim").flag()) return Without(sizes, dim);
  sizes[dim] = std::string("1");
  return sizes;
}

// The sizes before the reduction.
std::optional<SymbolicShape> LossSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  const std::string_view name = node.op->name;
  const SymbolicShape sizes = scope->Sizes(operands[0]);
  const int rank = static_cast<int>(sizes.size()),
            left = scope->TypeOf(node.first_result).shape.rank();
  if (left == rank) return sizes;
  if (left + 1 != rank) return std::nullopt;
  const bool of_classes = name == "cross_entropy" || name == "nll_loss";
  return Without(sizes, of_classes ? 1 : rank - 1);
}

std::optional<SymbolicShape> RecurrentSizes(GroupScope* scope, const Node& node, int result) {
  const OperatorGraph& graph = scope->graph();
  const auto operands = graph.operands(node);
  SymbolicShape sizes = scope->Sizes(operands[0]);
  // The operands after the states: the input weights, then the recurrent weights.
  const int states = node.op->name.starts_with("lstm") ? 2 : 1;
  const std::string hidden = scope->Sizes(operands[1 + states + 1])[1];
  if (node.op->name.ends_with("_cell")) return SymbolicShape{sizes[0], hidden};
  const bool both = AttributeOf(graph, node, "bidirectional").flag();
  if (result == 0) {
    sizes[2] = both ? scope->AddSize("both_hidden", "2 * " + hidden) : hidden;
    return sizes;
  }
  const std::int64_t layers = AttributeOf(graph, node, "num_layers").integer() * (both ? 2 : 1);
  const bool batch_first = AttributeOf(graph, node, "batch_first").flag();
  return SymbolicShape{NumberText(layers), sizes[batch_first ? 0 : 1], hidden};
}

std::optional<SymbolicShape> AttentionSizes(GroupScope* scope, const Node& node, int result) {
  const auto operands = scope->graph().operands(node);
  SymbolicShape query = scope->Sizes(operands[0]);
  if (node.op->name == "scaled_dot_product_attention") {
    query.back() = scope->Sizes(operands[2]).back();
    return query;
  }
  if (result == 0) return query;
  const std::string keys = scope->Sizes(operands[1])[0];
  return query.size() == 2 ? SymbolicShape{query[0], keys}
                           : SymbolicShape{query[1], query[0], keys};
}

}  // namespace

std::optional<SymbolicShape> ComposedSizes(GroupScope* scope, const Node& node, int result) {
  switch (node.op->family) {
    case OperatorFamily::kLoss:
      return LossSizes(scope, node);
    case OperatorFamily::kRecurrent:
      return RecurrentSizes(scope, node, result);
    case OperatorFamily::kAttention:
      return AttentionSizes(scope, node, result);
    default:
      break;
  }
  return ChosenSizes(scope, node);
}

}  // namespace kernelmill
