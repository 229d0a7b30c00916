// What torch really computed for one task: the facts that text is later made of. No floats.
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

// A tensor that a line of the task bound to a name. Lines are 1-based in Task.code. A parameter of
// a function stands at the line of its `def`; what a function gives back is called "return"; the
// items of a tuple or list are "name[0]", "name[1]". A line that ran several times appears once
// for every distinct outcome, in the order in which they came up.
struct LineValue {
  int line = 0;
  std::string name;
  TensorFacts tensor;
};

// An operator as the source spells it ("linear", "matmul"), called at or beneath that line; one
// entry a call, in order.
struct OperatorCall {
  int line = 0;
  std::string name;
  std::vector<TensorFacts> outputs;
};

// An operator as torch dispatched it ("aten.addmm") and how often.
struct DispatchCount {
  std::string name;
  std::int64_t count = 0;
};

struct ParameterFacts {
  std::string name;  // As named_parameters() gives it: "blocks.0.weight".
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
  std::int64_t flops = 0;                  // A multiply-add is two.
  std::int64_t bytes = 0;                  // In and out of every operator that is no view.
  bool truncated = false;                  // There were more values or operators than are kept.
  SymbolicShapes symbolic;                 // Agrees with every shape above.

  std::int64_t ParameterCount() const;  // Elements of all parameters.

  Json ToJson() const;
  static Result<Annotation> FromJson(const Json& json);
};

}  // namespace kernelmill
