#include "generators/lowering/contractions/contraction_writer.h"

#include "generators/lowering/memory_order.h"

namespace kernelmill {

std::string Horner(const std::vector<Axis>& axes) {
  std::string text;
  for (const auto& [name, size] : axes) {
    if (!text.empty() && size != "1") {
      text = GroupScope::Parenthesized(text) + " * " + GroupScope::Parenthesized(size);
    }
    if (name == "0") continue;
    text += (text.empty() ? "" : " + ") + name;
  }
  return text.empty() ? "0" : text;
}

Factor ContractionWriter::ReadMatrix(int operand, const std::vector<Axis>& axes, bool along_k) {
  const ValueId id = operands_[operand];
  const std::vector<int> order = MemoryOrder(scope_.graph(), id);
  // Where neighbours belong to different matrices, a copy costs less than such reads.
  if (axes.size() != order.size() || !IsPermuted(scope_.graph(), id) ||
      axes[order.back()].first == "group") {
    return Read(operand, Horner(axes), along_k);
  }
  scope_.UseStrides(id);
  std::string position;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    position +=
        (d > 0 ? " + " : "") + axes[d].first + " * " + scope_.Stride(id, static_cast<int>(d));
  }
  return Read(operand, position, axes[order.back()].first == "k");
}

Factor ContractionWriter::Read(int operand, const std::string& position, bool along_k) const {
  const ValueId id = operands_[operand];
  Factor factor;
  factor.value =
      ToComputeType(scope_.TypeOf(id).dtype, scope_.TensorName(id) + '[' + position + ']');
  factor.along_k = along_k;
  return factor;
}

}  // namespace kernelmill
