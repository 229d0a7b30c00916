// A task: a PyTorch reference that a kernel must reproduce, in the KernelBench convention.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// How the values of one input are drawn; the draw itself is in the task's get_inputs().
struct InputSpec {
  std::string name;                 // The parameter of forward().
  std::string dtype;                // A torch name without "torch.": "float32", "int64", "bool".
  std::vector<std::int64_t> shape;  // Sizes, outermost first; empty for a scalar tensor.
  // "randn", "rand", "randint", "bool", "zeros" or "ones"; "own" where only the task's text says
  // it.
  std::string draw;
  std::int64_t low = 0;  // For randint: low <= value < high.
  std::int64_t high = 0;

  // The expression that draws it, e.g. "torch.randint(0, 1000, (2, 16))".
  std::string Expression() const;

  Json ToJson() const;
  static Result<InputSpec> FromJson(const Json& json);
  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

// Of a generated task's record: its text at sizes that are small enough to run, differing in numbers
// only.
inline constexpr char kCheckAttribute[] = "check";
// The hash of a task's graph whatever the sizes; of those that were not generated as many digits as
// fingerprints have (benchmark_table.h), and only where a graph can say them.
inline constexpr char kPatternAttribute[] = "pattern";

struct Task {
  // Self-contained Python: imports, definitions, `class Model(nn.Module)`, get_inputs() (a list of
  // CPU tensors) and get_init_inputs() (the positional arguments of Model).
  std::string code;
  std::vector<InputSpec> inputs;
  std::string shape_contract = "fixed_shapes";  // Or "any_shape".

  Json ToJson() const;
  static Result<Task> FromJson(const Json& json);
};

}  // namespace kernelmill
