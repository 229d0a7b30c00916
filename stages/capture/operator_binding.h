// Binds the arguments of a captured torch call to the operands and attributes of one row of the
// operator table. Called by GraphOfRun() (captured_graph.h) for each call, to make a node of the
// graph.
#pragma once

#include <optional>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "stages/capture/captured_run.h"

namespace kernelmill {

struct BoundCall {
  // Indices into CapturedRun::values in the row's order. Lists are flattened; missing operands are
  // kAbsent.
  std::vector<int> operands;
  std::vector<Attribute> attributes;
};

// Returns nothing if the call's arguments do not fit `row`. Attributes that only a module's
// constructor takes (out_features) are read from the shapes of its parameters.
std::optional<BoundCall> Bind(const CapturedCall& call, const OperatorRow& row,
                              const std::vector<CapturedValue>& values);

}  // namespace kernelmill
