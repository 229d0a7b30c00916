// The annotation of a task: the shapes, dtypes, operators and costs that torch found when the step
// "admit" ran the task. Texts about the task take their facts from it. It holds no floating-point
// values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/symbolic_shapes.h"

namespace kernelmill {

struct TensorFacts {
  std::vector<std::int64_t> shape;   // Outermost first; empty for a scalar tensor.
  std::string dtype;                 // Without "torch.": "float32".
  std::vector<std::int64_t> stride;  // In elements; as long as shape, empty for a sparse tensor.

  friend bool operator==(const TensorFacts&, const TensorFacts&) = default;
};

// A tensor that a line of the task bound to a name. Lines are 1-based in Task.code. A function's
// parameter has the line of its `def`; its return value is called "return"; the items of a tuple or
// list are "name[0]", "name[1]". A line that ran several times appears once for every distinct
// result, in the order in which the results occurred.
struct LineValue {
  int line = 0;
  std::string name;
  TensorFacts tensor;
};

// A call of an operator, as the source spells it ("linear", "matmul"). `line` makes the call or
// calls a function that makes it. One entry per call, in order.
struct OperatorCall {
  int line = 0;
  std::string name;
  std::vector<TensorFacts> outputs;
};

// An operator as torch dispatched it ("aten.addmm"), with the number of calls.
struct DispatchCount {
  std::string name;
  std::int64_t count = 0;
};

struct ParameterFacts {
  std::string name;  // As in named_parameters(): "blocks.0.weight".
  std::vector<std::int64_t> shape;
  std::string dtype;
};

struct Annotation {
  Digest task;  // content_id of the task.
  std::vector<LineValue> values;
  std::vector<OperatorCall> operators;
  std::vector<DispatchCount> aten;  // Sorted by name.
  std::vector<TensorFacts> outputs;
  std::vector<ParameterFacts> parameters;  // In construction order, each tensor once.
  std::int64_t flops = 0;                  // A multiply-add counts as two.
  std::int64_t bytes = 0;   // Inputs and outputs of every operator that is not a view.
  bool truncated = false;   // Values or operators beyond the limit were left out.
  SymbolicShapes symbolic;  // Consistent with every shape above.

  std::int64_t ParameterCount() const;  // The number of elements of all parameters.

  Json ToJson() const;
  static Result<Annotation> FromJson(const Json& json);
};

}  // namespace kernelmill
