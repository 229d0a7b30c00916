#include "generators/lowering/element_program.h"

#include <map>

#include "generators/lowering/operator_class.h"

namespace kernelmill {

const Attribute& ElementProgram::attribute(std::string_view name) const {
  return AttributeOf(scope_.graph(), node_, name);
}

int ElementProgram::Dimension(std::string_view name, int rank) const {
  return DimensionOf(scope_.graph(), node_, name, rank);
}

std::string_view ElementProgram::Choice(std::string_view name) const {
  const int index = FindAttribute(*node_.op, name);
  return node_.op->attributes[index].choices[attribute(name).choice()];
}

std::string ElementProgram::Read(int operand, const std::vector<std::string>& axes) {
  const ValueId id = operands()[operand];
  return ToComputeType(dtype(operand), scope_.TensorName(id) + '[' +
                                           writer_.Offset(id, {axes, scope_.Sizes(id), ""}) + ']');
}

std::string ElementProgram::ReadFlat(int operand, const std::string& position) {
  if (scope_.IsStrided(operands()[operand])) {
    const std::vector<std::string> sizes = Sizes(operand);
    std::vector<std::string> axes(sizes.size());
    const std::string from = GroupScope::Parenthesized(position);
    std::string behind;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      std::string value = behind.empty() ? from : from + " / (" + behind + ")";
      if (d > 0) value += " % " + GroupScope::Parenthesized(sizes[d]);
      axes[d] = Declare("from" + std::to_string(d), value);
      behind = GroupScope::Parenthesized(sizes[d]) + (behind.empty() ? "" : " * " + behind);
    }
    return Read(operand, axes);
  }
  return ToComputeType(dtype(operand),
                       scope_.TensorName(operands()[operand]) + '[' + position + ']');
}

const ProgramRow* FindProgram(std::string_view op) {
  static const std::map<std::string_view, ProgramRow> kRows = [] {
    std::vector<ProgramRow> rows;
    AddJoinPrograms(&rows);
    AddLayoutPrograms(&rows);
    AddGatherPrograms(&rows);
    AddWindowPrograms(&rows);
    AddDistancePrograms(&rows);
    AddViewPrograms(&rows);
    AddColumnPrograms(&rows);
    AddSamplingPrograms(&rows);
    AddProductPrograms(&rows);
    std::map<std::string_view, ProgramRow> by_name;
    for (const ProgramRow& row : rows) by_name.emplace(row.op, row);
    return by_name;
  }();
  const auto found = kRows.find(op);
  return found == kRows.end() ? nullptr : &found->second;
}

}  // namespace kernelmill
