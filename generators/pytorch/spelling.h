// The spelling of an operator in a Python program: a module, function, method, operator sign,
// property or slice. SpellingOf() parses the full name in the operator table; SourcePlan
// (source_plan.h) picks one spelling for each node.
#pragma once

#include <string_view>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

enum class SpellingForm : std::uint8_t {
  kModule,    // nn.GELU, built in __init__ and called in forward.
  kFunction,  // torch.softmax, F.gelu.
  kMethod,    // x.relu().
  kSign,      // a + b.
  kProperty,  // x.T.
  kSlice,     // x[:, 1:5].
};

struct Spelling {
  SpellingForm form = SpellingForm::kFunction;
  std::string_view prefix;  // "nn.", "F.", "torch.", "torch.special."; empty for methods and signs.
  std::string_view name;    // "GELU", "relu", "+".
  // For signs: a prefix sign as in -x; the tensor is the right operand as in 1 - x; how tightly
  // Python binds the sign.
  bool unary = false, reversed = false;
  int tightness = 14;
};

// Parses a full name: "torch.nn.functional.gelu", "torch.Tensor.__add__".
Spelling SpellingOf(std::string_view full_name);

// Python's binding strengths: an operand that binds less tightly than its surroundings needs
// parentheses.
inline constexpr int kComparing = 4, kTightest = 14;

}  // namespace kernelmill
