// Translates calls of torch that need several operators of the operator table, or one with other
// arguments: x[1:, None], meshgrid, reshape_as, a number to the power of a tensor. GraphOfRun()
// (captured_graph.h) asks it for each call of a captured run; it binds all other calls to one row
// itself.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "stages/capture/captured_run.h"

namespace kernelmill {

// Such a call with its operands and the types of its results.
struct ComposedCall {
  const CapturedCall& call;
  std::string_view name;                         // CalledName() of the function.
  std::vector<ValueId> operands;                 // The tensors among its arguments, in order.
  std::vector<std::optional<TensorType>> types;  // The types of its results.
  // Whether x[:, :n] becomes a node even if it takes the whole dimension, because at other sizes it
  // may not.
  bool keeps_whole = false;
};

bool IsComposed(const CapturedCall& call, std::string_view name);

// Adds the operators to `graph` and returns the ids of the results. Returns nothing if the operator
// table cannot express the call; unused nodes may remain in the graph then.
std::vector<ValueId> Compose(const ComposedCall& call, OperatorGraph* graph);

}  // namespace kernelmill
