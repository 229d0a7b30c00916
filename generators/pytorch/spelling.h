// What an operator is called in a program, taken apart.
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
  // Of signs: -x; the tensor is what stands behind, 1 - x; how tightly Python binds it.
  bool unary = false, reversed = false;
  int tightness = 14;
};

// Of a full name: "torch.nn.functional.gelu", "torch.Tensor.__add__".
Spelling SpellingOf(std::string_view full_name);

// An operand that binds less tightly than what is around it needs parentheses.
inline constexpr int kComparing = 4, kTightest = 14;

}  // namespace kernelmill
