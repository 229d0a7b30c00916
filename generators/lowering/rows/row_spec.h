// RowSpec: the form that operators along rows (reductions, softmax, norms) are brought into before
// kernels are written: one or more passes that reduce a row, then a result for each row or for each
// element. strategies/rows.cc, split_rows.cc and columns.cc write kernels for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/lowering/rows/row_geometry.h"
#include "generators/lowering/rows/row_states.h"

namespace kernelmill {

struct RowPass {
  RowAccumulator state;
  std::string variable;  // The variable that holds the state.
  std::string added;     // What is added for an element `value`.
  std::string result;    // Statements that get the results from the variable.
};

struct RowSpec {
  RowGeometry geometry;
  ValueId input = kAbsent;  // The value whose elements are read.
  std::vector<RowPass> passes;
  bool loss = false;     // `value` is the head's expression of the operands' elements.
  bool one_result_per_row = false;  // There is one result per row, in the order of the rows.
  // Statements before `results`, over `value`, `row`, `k` and the results of the passes.
  std::string prepare;
  // For each result of the head a variable or an expression.
  std::vector<std::string> results;
  // Declarations before the first pass; they may depend on `row`.
  std::string constants;
};

// The spec of a group; std::nullopt when its head does not work along rows. `single_pass` selects
// the form that reads a row once less: online softmax, Welford's algorithm.
std::optional<RowSpec> RowSpecOf(GroupScope* scope, bool single_pass);
// The spec of a group in an anonymous scope, to examine it before names are chosen.
std::optional<RowSpec> SpecOfGroup(const OperatorGraph& graph, const FusionGroup& group,
                                   bool single_pass);
// Whether the group has a form that reads a row once less.
bool HasSinglePass(const OperatorGraph& graph, const FusionGroup& group);

}  // namespace kernelmill
