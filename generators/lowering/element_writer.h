// Statements that compute elements of a group's values at given coordinates.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

class ElementWriter {
 public:
  explicit ElementWriter(GroupScope* scope) : scope_(scope) {}

  // What a kernel has in a variable already: the head's result.
  void Define(ValueId id, const Coordinates& at, const std::string& name) {
    known_[{id, at.Key()}] = name;
  }
  // The variable, or literal, that holds the element in its compute type.
  std::string Element(ValueId id, const Coordinates& at);
  // Writes the element of an output to memory.
  void Store(ValueId id, const Coordinates& at);
  void Line(const std::string& statement) { code_ += statement + '\n'; }

  const std::string& code() const { return code_; }

  // The expression of an elementwise node over variables of its operands.
  std::string Expression(const Node& node, const std::vector<std::string>& operands) const;
  // Where an element of an input lies: "(b * channels + c) * height + h".
  std::string Offset(ValueId id, const Coordinates& at) const;
  // An operand's coordinates where its result is at `at`.
  Coordinates Broadcast(const Shape& operand, const Shape& result, const Coordinates& at) const;

 private:
  std::string Load(ValueId id, const Coordinates& at);
  std::string Compute(const Node& node, const Coordinates& at);
  std::string Constant(const Node& node, const Coordinates& at);
  bool IsReadSharply(ValueId id) const;
  // Other statements of the kernel may have the same names, in blocks of their own.
  std::string Declare(ValueId id, std::string_view word, const std::string& expression);

  GroupScope* scope_;
  std::map<std::pair<ValueId, std::string>, std::string> known_;
  std::set<std::string> locals_;
  std::string code_;
};

// The declarations of the coordinates that it uses, then the code of a writer.
std::string WithAxes(const GroupScope& scope, const Coordinates& at, const ElementWriter& writer);

// Statements that store every output of the group at row-major position `linear` of its domain.
// `head`: the variable that holds the head's element, if there is a head.
std::string StoreOutputs(GroupScope* scope, const std::string& linear, const std::string& head);

}  // namespace kernelmill
