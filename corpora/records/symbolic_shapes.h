// The shapes of an annotation with the sizes of the inputs as symbols, from torch's own symbolic
// shapes.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/size_expression.h"
#include "manifests/json.h"

namespace kernelmill {

struct SizeSymbol {
  std::string name;        // "s0", "s1", … in the order in which the inputs have them.
  std::int64_t value = 0;  // Its size in this task.
};

// Each size as EvaluateSize() reads it: "2", "s0", "s1*s2", "(s1 - 1)//2 + 1".
using SymbolicShape = std::vector<std::string>;

struct SymbolicShapes {
  // "followed"; or why there is nothing else here: "not_tried" (more operators than the cap),
  // "not_followed" (torch, or this program, cannot follow the code with unknown sizes), or
  // "other_path" (with unknown sizes the code takes another way than it took).
  std::string state = "not_tried";
  std::vector<SizeSymbol> symbols;
  std::vector<SymbolicShape> inputs;     // Of the task's inputs.
  std::vector<std::string> constraints;  // Sizes that must be divisible: "s1 % 8" is zero.
  // Parallel to the annotation's values, operators (an entry an output) and outputs.
  std::vector<SymbolicShape> values;
  std::vector<std::vector<SymbolicShape>> operators;
  std::vector<SymbolicShape> outputs;

  bool followed() const { return state == "followed"; }
  SymbolValues Values() const;

  Json ToJson() const;
  static Result<SymbolicShapes> FromJson(const Json& json);
};

// Whether the shape becomes `concrete` when the symbols get their values.
bool Agrees(const SymbolicShape& shape, const std::vector<std::int64_t>& concrete,
            const SymbolValues& values);

}  // namespace kernelmill
