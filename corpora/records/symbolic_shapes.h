// The shapes in an annotation (annotation.h) as expressions of the input sizes, such as "s0 * 2".
// The step "admit" gets them from torch's symbolic shapes; shape texts and checks at other sizes
// use them.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/size_expression.h"
#include "manifests/json.h"

namespace kernelmill {

struct SizeSymbol {
  std::string name;        // "s0", "s1", …, numbered in the order of the inputs' sizes.
  std::int64_t value = 0;  // The size in this task.
};

// Each size is an expression for EvaluateSize(): "2", "s0", "s1*s2", "(s1 - 1)//2 + 1".
using SymbolicShape = std::vector<std::string>;

struct SymbolicShapes {
  // "followed"; or the reason why the other fields are empty: "not_tried" (more operators than the
  // limit), "not_followed" (torch or this program cannot trace the code with unknown sizes), or
  // "other_path" (with unknown sizes the code takes another path than it took).
  std::string state = "not_tried";
  std::vector<SizeSymbol> symbols;
  std::vector<SymbolicShape> inputs;     // Of the task's inputs.
  // Expressions that must be zero, because a size must be divisible: "s1 % 8".
  std::vector<std::string> constraints;
  // Parallel to the annotation's values, operators (one entry per output) and outputs.
  std::vector<SymbolicShape> values;
  std::vector<std::vector<SymbolicShape>> operators;
  std::vector<SymbolicShape> outputs;

  bool followed() const { return state == "followed"; }
  SymbolValues Values() const;

  Json ToJson() const;
  static Result<SymbolicShapes> FromJson(const Json& json);
};

// Whether `shape` evaluates to `concrete` for these values of the symbols.
bool Agrees(const SymbolicShape& shape, const std::vector<std::int64_t>& concrete,
            const SymbolValues& values);

}  // namespace kernelmill
