#include "generators/lowering/operator_class.h"

#include <algorithm>

namespace kernelmill {

OperatorClass ClassOf(const OperatorGraph& graph, const Node& node) {
  using enum OperatorFamily;
  switch (node.op->family) {
    case kShape:
      return OperatorClass::kView;
    case kCreation:
      return OperatorClass::kConstant;
    case kActivation:
    case kElementwise:
    case kComparison:
    case kSelection:
    case kCast:
      return node.result_count == 1 && !ElementExpressionOf(graph, node).empty()
                 ? OperatorClass::kElementwise
                 : OperatorClass::kHead;
    default:
      return OperatorClass::kHead;
  }
}

bool OnlyMovesData(const OperatorRow& op) {
  using enum OperatorFamily;
  switch (op.family) {
    case kShape:
    case kCreation:
    case kLayout:
    case kPadding:
    case kEmbedding:
    case kGather:
    case kTriangular:
    case kCast:
    case kSelection:
      return true;
    default:
      return false;
  }
}

bool OnlyMovesData(const OperatorGraph& graph) {
  return std::all_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return OnlyMovesData(*node.op); });
}

OperatorUse UseOf(const OperatorGraph& graph, const Node& node,
                  std::vector<const TensorType*>* operands) {
  operands->clear();
  for (const ValueId id : graph.operands(node)) {
    operands->push_back(id == kAbsent ? nullptr : &graph.value(id).type);
  }
  return {*operands, graph.attributes(node)};
}

std::string_view ElementExpressionOf(const OperatorGraph& graph, const Node& node) {
  std::vector<const TensorType*> operands;
  const OperatorUse use = UseOf(graph, node, &operands);
  return node.op->Scalar(use, graph.value(node.first_result).type.dtype);
}

DType ComputeDTypeOf(const OperatorGraph& graph, const Node& node) {
  std::vector<const TensorType*> operands;
  const OperatorUse use = UseOf(graph, node, &operands);
  return node.op->ScalarType(use, graph.value(node.first_result).type.dtype);
}

int FindAttribute(const OperatorRow& op, std::string_view name) {
  for (std::size_t i = 0; i < op.attributes.size(); ++i) {
    if (op.attributes[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

const Attribute& AttributeOf(const OperatorGraph& graph, const Node& node, std::string_view name) {
  static const Attribute kNone;
  const int index = FindAttribute(*node.op, name);
  return index < 0 ? kNone : graph.attributes(node)[index];
}

int DimensionOf(const OperatorGraph& graph, const Node& node, std::string_view name, int rank) {
  const std::int64_t dimension = AttributeOf(graph, node, name).integer();
  return static_cast<int>(dimension < 0 ? dimension + rank : dimension);
}

int PooledDimensions(std::string_view name) { return name[name.size() - 2] - '0'; }

}  // namespace kernelmill
