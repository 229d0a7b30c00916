// A task: a PyTorch reference that a kernel must reproduce, in the KernelBench convention.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/task_contract.h"

namespace kernelmill {

// How the values of one input are drawn. The task's get_inputs() does the drawing.
struct InputSpec {
  std::string name;                 // The parameter of forward().
  std::string dtype;                // A torch name without "torch.": "float32", "int64", "bool".
  std::vector<std::int64_t> shape;  // Sizes, outermost first; empty for a scalar tensor.
  // "randn", "rand", "randint", "bool", "zeros" or "ones"; "own" when only the task's text
  // describes it.
  std::string draw;
  std::int64_t low = 0;  // For randint: low <= value < high.
  std::int64_t high = 0;

  // The Python expression that draws the input, for example "torch.randint(0, 1000, (2, 16))".
  std::string Expression() const;

  Json ToJson() const;
  static Result<InputSpec> FromJson(const Json& json);
  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

// An attribute of a generated task's record: the task's text at sizes that are small enough for
// `admit` to run. It differs from the task in numbers only. No check in the sense of check.h.
inline constexpr char kSmallTextAttribute[] = "check";
// An attribute of a task's record: the hash of its operator graph without sizes. Tasks that were
// not generated have it only when the graph is known, with kFingerprintDigits digits
// (corpora/benchmark_table.h).
inline constexpr char kPatternAttribute[] = "pattern";

struct Task {
  // Self-contained Python: imports, definitions, `class Model(nn.Module)`, get_inputs() (returns a
  // list of CPU tensors) and get_init_inputs() (returns the positional arguments of Model).
  std::string code;
  std::vector<InputSpec> inputs;
  // Or "any_shape". It decides what prompts, reasoning about shapes and checks say of sizes, counts
  // for the difficulty, and is part of the contract that answers of others are judged under.
  std::string shape_contract = "fixed_shapes";

  // No record asks for layouts.
  TaskContract Contract() const { return {.any_shape = shape_contract == "any_shape"}; }
  Json ToJson() const;
  static Result<Task> FromJson(const Json& json);
};

}  // namespace kernelmill
