// Programs: the code of one result element, for operators that compute it from a few elements of
// the operands at coordinates derived from its own, such as cat, pad, gather, pooling and
// interpolation. The files of programs/ hold one program for each such operator, in a table of
// ProgramRows; strategies/element_programs.cc makes kernels of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/lowering/device_definition.h"
#include "generators/lowering/element_writer.h"
#include "manifests/is_one_of.h"

namespace kernelmill {

class ElementProgram {
 public:
  // `at`: the coordinates of the result's element.
  ElementProgram(GroupScope* scope, Coordinates at)
      : scope_(*scope), writer_(scope), node_(scope->head()), at_(std::move(at)) {}

  GroupScope& scope() { return scope_; }
  const Node& node() const { return node_; }
  std::string_view name() const { return node_.op->name; }
  std::span<const ValueId> operands() const { return scope_.graph().operands(node_); }
  bool Has(std::size_t operand) const {
    return operand < operands().size() && operands()[operand] != kAbsent;
  }
  const Shape& shape(int operand) const { return scope_.TypeOf(operands()[operand]).shape; }
  const Shape& result_shape() const { return scope_.TypeOf(node_.first_result).shape; }
  DType dtype(int operand) const { return scope_.TypeOf(operands()[operand]).dtype; }
  const Attribute& attribute(std::string_view name) const;
  int Dimension(std::string_view name, int rank) const;

  const std::vector<std::string>& axes() const { return at_.axes; }
  std::vector<std::string> Sizes(int operand) { return scope_.Sizes(operands()[operand]); }
  // Reads the operand's element at these coordinates, in its compute type.
  std::string Read(int operand, const std::vector<std::string>& axes);
  // Reads by row-major position. All reads of one operand in a program use the same method.
  std::string ReadFlat(int operand, const std::string& position);
  std::string ResultType() const { return scope_.Scalar(node_.first_result).compute; }
  const std::string& Index() const { return scope_.index(); }

  // Appends one or more lines of code. The code must declare `result`.
  void Line(const std::string& text) { code_ += text + '\n'; }
  void Result(const std::string& value) {
    Line("const " + ResultType() + " result = " + value + ';');
  }
  // "const int name = value;"
  std::string Declare(const std::string& name, const std::string& value) {
    Line("const " + Index() + ' ' + name + " = " + value + ';');
    return name;
  }
  const std::string& code() const { return code_; }
  // Adds a device function that the program calls.
  void Helper(std::string_view name, std::string_view definition) {
    DeviceDefinition helper{std::string(name), std::string(definition)};
    if (!IsOneOf(helper, helpers_)) helpers_.push_back(std::move(helper));
  }
  const DeviceDefinitions& helpers() const { return helpers_; }
  // The string value of an attribute of kind kChoice.
  std::string_view Choice(std::string_view name) const;

 private:
  GroupScope& scope_;
  ElementWriter writer_;
  const Node& node_;
  Coordinates at_;
  std::string code_;
  DeviceDefinitions helpers_;
};

// The program of one operator. `write` returns false for a use that is not supported.
struct ProgramRow {
  std::string_view op;
  bool (*write)(ElementProgram* program);
  std::string_view mapping;  // Where the element comes from, in words.
  // The sizes of the result, from those of the operands. Null where the result has the sizes of the
  // first operand, or where symbolic_sizes.cc knows those of the family.
  std::vector<std::string> (*sizes)(GroupScope* scope, const Node& node) = nullptr;
};

// The program of an operator, or null.
const ProgramRow* FindProgram(std::string_view op);

// The tables of programs/.
void AddJoinPrograms(std::vector<ProgramRow>* rows);
void AddLayoutPrograms(std::vector<ProgramRow>* rows);
void AddGatherPrograms(std::vector<ProgramRow>* rows);
void AddWindowPrograms(std::vector<ProgramRow>* rows);
void AddDistancePrograms(std::vector<ProgramRow>* rows);
void AddViewPrograms(std::vector<ProgramRow>* rows);
void AddColumnPrograms(std::vector<ProgramRow>* rows);
void AddSamplingPrograms(std::vector<ProgramRow>* rows);
void AddProductPrograms(std::vector<ProgramRow>* rows);

// Writes the mean or maximum over the part of the operand that belongs to an element: adaptive
// pooling, and interpolation by area.
bool WriteAdaptivePool(ElementProgram* program);

}  // namespace kernelmill
