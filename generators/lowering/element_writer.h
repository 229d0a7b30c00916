// Writes the CUDA statements that compute, load or store single elements of a group's values at
// given coordinates: the elementwise operators around a kernel's head. Used by nearly all
// strategies.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

class ElementWriter {
 public:
  explicit ElementWriter(GroupScope* scope) : scope_(scope) {}

  // Registers a variable of the kernel that holds an element already, such as the head's result.
  void Define(ValueId id, const Coordinates& at, const std::string& name) {
    known_[{id, at.Key()}] = name;
  }
  // Registers the variable with a result of the group's head. Appends a statement that rounds it
  // where torch rounds it and that matters.
  void DefineResult(ValueId id, const Coordinates& at, const std::string& name);
  // The variable or literal with the element in its compute type. Appends the statements that
  // compute it.
  std::string Element(ValueId id, const Coordinates& at);
  // Writes the element of an output to memory.
  void Store(ValueId id, const Coordinates& at);
  void Line(const std::string& statement) { code_ += statement + '\n'; }

  const std::string& code() const { return code_; }

  // The expression of an elementwise node, given the variables of its operands.
  std::string Expression(const Node& node, const std::vector<std::string>& operands) const;
  // The row-major offset of an input's element: "(b * channels + c) * height + h".
  std::string Offset(ValueId id, const Coordinates& at) const;
  // The coordinates of a broadcast operand for a result at `at`.
  Coordinates Broadcast(const Shape& operand, const Shape& result, const Coordinates& at) const;

 private:
  std::string Load(ValueId id, const Coordinates& at);
  std::string Compute(const Node& node, const Coordinates& at);
  std::string Constant(const Node& node, const Coordinates& at);
  // Whether a later operator of the group turns the least difference of the value into a large one.
  bool MustBeRounded(ValueId id);
  std::string Rounded(DType dtype, const std::string& expression) const;
  // Declares a variable for the expression. Its name may also occur in other blocks of the kernel.
  std::string Declare(ValueId id, std::string_view word, const std::string& expression);

  GroupScope* scope_;
  std::map<std::pair<ValueId, std::string>, std::string> known_;
  std::map<ValueId, bool> must_be_rounded_;
  std::set<std::string> locals_;
  std::string code_;
};

// The code of `writer`, preceded by declarations of the coordinates that it uses.
std::string WithAxes(const GroupScope& scope, const Coordinates& at, const ElementWriter& writer);

// Statements that store every output of the group at row-major position `linear` of its domain.
// `head`: the variable that holds the head's element, if there is a head.
std::string StoreOutputs(GroupScope* scope, const std::string& linear, const std::string& head);

}  // namespace kernelmill
