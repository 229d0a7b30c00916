#include "generators/lowering/memory_order.h"

#include <algorithm>
#include <numeric>

#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

std::vector<int> RowMajor(int rank) {
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

int Wrap(std::int64_t dim, int rank) { return static_cast<int>(dim < 0 ? dim + rank : dim); }

}  // namespace

std::vector<int> OperandDimensions(const OperatorGraph& graph, const Node& node) {
  const std::string_view name = node.op->name;
  const int rank = graph.value(graph.operands(node)[0]).type.shape.rank();
  std::vector<int> order = RowMajor(rank);
  const auto integer = [&](std::string_view attribute) {
    return AttributeOf(graph, node, attribute).integer();
  };
  const auto swap = [&](std::int64_t a, std::int64_t b) {
    std::swap(order[Wrap(a, rank)], order[Wrap(b, rank)]);
  };
  if (name == "transpose") swap(integer("dim0"), integer("dim1"));
  if (name == "swapaxes") swap(integer("axis0"), integer("axis1"));
  if (name == "t" && rank == 2) swap(0, 1);
  if (name == "mT") swap(-1, -2);
  if (name == "permute") {
    const auto dims = AttributeOf(graph, node, "dims").integers();
    for (std::size_t i = 0; i < dims.size(); ++i) order[i] = Wrap(dims[i], rank);
  }
  if (name == "movedim") {
    const int from = Wrap(integer("source"), rank), to = Wrap(integer("destination"), rank);
    order.erase(order.begin() + from);
    order.insert(order.begin() + to, from);
  }
  return order;
}

std::vector<int> MemoryOrder(const OperatorGraph& graph, ValueId id) {
  const Value& value = graph.value(id);
  const int rank = value.type.shape.rank();
  std::vector<int> order = RowMajor(rank);
  if (value.role == ValueRole::kInput) {
    if (value.layout == InputLayout::kTransposed && rank >= 2) {
      std::swap(order[rank - 1], order[rank - 2]);
    }
    if (value.layout == InputLayout::kChannelsLast && rank >= 2) {
      order.erase(order.begin() + 1);
      order.push_back(1);
    }
    return order;
  }
  if (value.role != ValueRole::kResult) return order;
  const Node& node = graph.nodes()[value.node];
  if (node.op->family != OperatorFamily::kShape || node.result_count != 1) return order;
  const std::vector<int> from = OperandDimensions(graph, node);
  const ValueId operand = graph.operands(node)[0];
  // A node that does not permute may change sizes or copy.
  if (static_cast<int>(from.size()) != rank || from == order) return order;
  std::vector<int> own;
  for (const int dimension : MemoryOrder(graph, operand)) {
    own.push_back(static_cast<int>(std::find(from.begin(), from.end(), dimension) - from.begin()));
  }
  return own;
}

bool IsPermuted(const OperatorGraph& graph, ValueId id) {
  const std::vector<int> order = MemoryOrder(graph, id);
  return !std::is_sorted(order.begin(), order.end());
}

}  // namespace kernelmill
