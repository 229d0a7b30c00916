// Parses the worker's reply to a request of kind "admit"
// (stages/worker/torch_worker/requests/admit.py): how the run of a task ended, and what raised an
// error, or the measurements of its outputs and what the annotation of the task holds. Admission
// (admission.h) asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// A tensor of the task's frame at the time of an error.
struct LiveTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string dtype;
};

// The torch layer (Linear, Conv2d, …) that raised an error, with all its attributes that are
// integers or tuples of integers: in_features, normalized_shape, …
struct FaultLayer {
  std::string type;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> sizes;
  std::string pattern;  // The pattern of an einops layer: "b c h w -> b (h w) c".
  // The shape of its first tensor argument.
  std::optional<std::vector<std::int64_t>> received;

  // The first value of an attribute.
  std::optional<std::int64_t> Size(std::string_view name) const;
};

// A comparison or remainder of integers in the statement that raised.
struct Comparison {
  std::string operation;  // "==", "!=", "<", "<=", ">", ">=" or "%".
  std::int64_t left = 0;
  std::int64_t right = 0;
};

// A variable or attribute in the statement that raised.
struct NamedValue {
  std::string name;
  std::optional<std::vector<std::int64_t>> value;  // One integer or several; absent for None.
};

// An exception of the task's code.
struct Fault {
  // "parse", "refused" (by the task policy), "build", "inputs" or "run".
  std::string phase;
  std::string type;      // The Python exception class.
  std::string message;   // Without addresses and paths, at most 500 characters.
  int line = 0;          // 1-based in the code; 0 when unknown.
  std::string function;  // The innermost function outside the task that raised, or empty.
  std::optional<FaultLayer> layer;
  std::vector<LiveTensor> locals;  // The tensors that the statement mentions come first.
  std::vector<Comparison> compared;
  std::vector<NamedValue> names;
  std::int64_t operators_run = 0;  // Before the exception.
};

// Measurements of one output. Those that could not be taken are absent (no elements, not finite, no
// input of that shape). They are for decisions, not for records: floats differ between processors.
struct OutputMeasure {
  std::int64_t elements = 0;
  bool finite = false;
  bool exact = false;                   // Integers or bools.
  std::optional<double> largest;        // Largest absolute value.
  std::optional<double> change;         // Largest difference to the outputs of other inputs.
  std::optional<double> spread;         // Largest minus smallest value over both outputs.
  std::optional<double> nearest_input;  // Smallest, over inputs, of the largest difference to it.
};

// A tensor that get_inputs() returned.
struct GivenTensor {
  int argument = 0;  // Position among the arguments of forward(), from 0.
  std::vector<std::int64_t> shape;
  std::string dtype;
};

struct WorkerReply {
  // "ran", "fault", "too_costly", "time_limit", "memory_limit", "output_limit", "reply_limit",
  // "killed", "tampered".
  std::string end;
  std::string detail;
  std::optional<Fault> fault;  // Set if `end` is "fault".
  // The following members are set if `end` is "ran".
  bool deterministic = false;
  bool random = false;  // With another seed, forward() returns another result.
  bool inputs_unchanged = false;
  std::vector<GivenTensor> inputs;  // Tensors that are arguments themselves.
  std::vector<OutputMeasure> outputs;
  // Shapes, operators and costs: Annotation::ToJson() (corpora/records/annotation.h) without "v"
  // and "task".
  Json annotation;

  static Result<WorkerReply> FromJson(const Json& json);
};

}  // namespace kernelmill
