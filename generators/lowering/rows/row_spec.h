// The form that operators along rows are lowered from: one or more passes that reduce a row, then a
// result for each row or for each element. strategies/rows.cc writes kernels for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/rows/row_states.h"

namespace kernelmill {

struct RowPass {
  RowState state;
  std::string variable;  // That holds the state.
  std::string added;     // What is added of an element `value`.
  std::string result;    // Statements that take it from the variable.
};

struct RowSpec {
  RowGeometry geometry;
  ValueId input = kAbsent;  // Whose elements are read.
  std::vector<RowPass> passes;
  bool loss = false;     // `value` is the head's expression of the operands' elements.
  bool per_row = false;  // The results are one a row, in the order of rows.
  // Statements in front of `results`, over `value`, `row`, `k` and what passes left.
  std::string prepare;
  // For each result of the head a variable or an expression.
  std::vector<std::string> results;
  // Declarations that come before the first pass and depend on `row`.
  std::string constants;
};

// Of a group's head; nothing where it does not work along rows. `single_pass` asks for the form
// that reads a row once less: online softmax, Welford's moments.
std::optional<RowSpec> RowSpecOf(GroupScope* scope, bool single_pass);
// The same of a group in names that do not matter.
std::optional<RowSpec> SpecOfGroup(const OperatorGraph& graph, const FusionGroup& group,
                                   bool single_pass);
bool HasRowSpec(const OperatorGraph& graph, const FusionGroup& group);
// Whether `single_pass` makes a difference.
bool HasSinglePass(const OperatorGraph& graph, const FusionGroup& group);

}  // namespace kernelmill
