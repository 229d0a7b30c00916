// A call of torch as a use of one row of the operator table: which of its arguments is which
// operand and which attribute.
#pragma once

#include <optional>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "stages/capture/captured_run.h"

namespace kernelmill {

struct BoundCall {
  // Indexes of CapturedRun::values in the row's order, lists spread out, absent ones kAbsent.
  std::vector<int> operands;
  std::vector<Attribute> attributes;
};

// Nothing where the call's arguments are not those of `row`. What only the module takes
// (out_features) is read off the parameters that are given.
std::optional<BoundCall> Bind(const CapturedCall& call, const OperatorRow& row,
                              const std::vector<CapturedValue>& values);

}  // namespace kernelmill
