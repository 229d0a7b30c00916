// Calls of torch that come to several rows of the operator table, or to a row under other
// arguments: x[1:, None], meshgrid, reshape_as, a number to the power of a tensor.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "stages/capture/captured_run.h"

namespace kernelmill {

// What such a call is given and gives.
struct ComposedCall {
  const CapturedCall& call;
  std::string_view name;                         // CalledName() of the function.
  std::vector<ValueId> operands;                 // The tensors among its arguments, in order.
  std::vector<std::optional<TensorType>> types;  // Of its results.
  // Whether x[:, :n] is a step where it takes all: at other sizes it may not.
  bool keeps_whole = false;
};

bool IsComposed(const CapturedCall& call, std::string_view name);

// Adds the steps to `graph`. The results' ids; empty where the rows cannot say it, with steps of no
// use left behind.
std::vector<ValueId> Compose(const ComposedCall& call, OperatorGraph* graph);

}  // namespace kernelmill
