#include "generators/lowering/contractions/contraction_writer.h"

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

Factor ContractionWriter::Read(int operand, const std::string& position, bool along_k) const {
  const ValueId id = operands_[operand];
  Factor factor;
  factor.value =
      ToComputeType(scope_.TypeOf(id).dtype, scope_.TensorName(id) + '[' + position + ']');
  factor.along_k = along_k;
  return factor;
}

}  // namespace kernelmill
