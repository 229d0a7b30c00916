#include "generators/lowering/symbolic_sizes.h"

#include <algorithm>

#include "generators/lowering/operator_class.h"
#include "generators/lowering/row_geometry.h"

namespace kernelmill {
namespace {

std::vector<std::string> BroadcastSizes(GroupScope* scope, const Node& node, ValueId id) {
  const Shape& shape = scope->TypeOf(id).shape;
  std::vector<std::string> sizes(shape.rank(), "1");
  // From the last operand on, so that the first one with a size gives its name.
  const auto operands = scope->graph().operands(node);
  for (std::size_t k = operands.size(); k-- > 0;) {
    if (operands[k] == kAbsent) continue;
    const Shape& from = scope->TypeOf(operands[k]).shape;
    if (from.rank() > shape.rank() || (node.op->name == "prelu" && k == 1)) continue;
    const std::vector<std::string> given = scope->Sizes(operands[k]);
    const int missing = shape.rank() - from.rank();
    for (int d = 0; d < from.rank(); ++d) {
      if (from[d] == shape[d + missing]) sizes[d + missing] = given[d];
    }
  }
  return sizes;
}

// The sizes of the first operand without the dimensions that are reduced, or with 1 for them.
std::vector<std::string> ReducedSizes(GroupScope* scope, const Node& node) {
  const ValueId input = scope->graph().operands(node)[0];
  const std::vector<std::string> given = scope->Sizes(input);
  const int dim = FindAttribute(*node.op, "dim");
  const std::vector<int> reduced = DimensionsOf(
      dim < 0 ? Attribute() : scope->graph().attributes(node)[dim], static_cast<int>(given.size()));
  const bool keep = AttributeOf(scope->graph(), node, "keepdim").flag();
  std::vector<std::string> sizes;
  for (int d = 0; d < static_cast<int>(given.size()); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) {
      sizes.push_back(given[d]);
    } else if (keep) {
      sizes.push_back("1");
    }
  }
  return sizes;
}

}  // namespace

std::vector<std::string> SymbolicSizes(GroupScope* scope, const Node& node, ValueId id) {
  switch (ClassOf(scope->graph(), node)) {
    case OperatorClass::kElementwise:
      return BroadcastSizes(scope, node, id);
    default:
      break;
  }
  switch (node.op->family) {
    case OperatorFamily::kReduction:
    case OperatorFamily::kArgReduction:
      return ReducedSizes(scope, node);
    case OperatorFamily::kSoftmax:
    case OperatorFamily::kNorm:
    case OperatorFamily::kScan:
    case OperatorFamily::kTriangular:
      return scope->Sizes(scope->graph().operands(node)[0]);
    default:
      break;
  }
  // What no rule names has the sizes that it has in the task.
  std::vector<std::string> sizes;
  for (const std::int64_t size : scope->TypeOf(id).shape) sizes.push_back(std::to_string(size));
  return sizes;
}

}  // namespace kernelmill
