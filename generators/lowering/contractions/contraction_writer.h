// The base class of the writers in product_spec.cc and convolution_spec.cc, which convert an
// operator to a ContractionSpec: access to the operands of a group's head, and expressions that
// read their elements.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

using Axis = std::pair<std::string, std::string>;  // A name and its size.

// The row-major index over these axes, in Horner's form and without axes of size 1.
std::string Horner(const std::vector<Axis>& axes);

class ContractionWriter {
 protected:
  explicit ContractionWriter(GroupScope* scope)
      : scope_(*scope), node_(scope->head()), operands_(scope->graph().operands(node_)) {}

  Factor Read(int operand, const std::string& position, bool along_k = true) const;
  // Reads a matrix, or a batch of them, whose dimensions these axes enumerate: through its strides
  // where the dimensions lie in another order in memory, instead of copying it first.
  Factor ReadMatrix(int operand, const std::vector<Axis>& axes, bool along_k);
  const Shape& ShapeOf(int operand) const { return scope_.TypeOf(operands_[operand]).shape; }
  std::string Size(std::string_view word, const std::string& expression) {
    return scope_.AddSize(word, expression);
  }
  bool Has(std::size_t operand) const {
    return operand < operands_.size() && operands_[operand] != kAbsent;
  }

  GroupScope& scope_;
  const Node& node_;
  std::span<const ValueId> operands_;
  ContractionSpec spec_;
};

}  // namespace kernelmill
