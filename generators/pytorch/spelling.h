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
};

struct Spelling {
  SpellingForm form = SpellingForm::kFunction;
  std::string_view prefix;  // "nn.", "F.", "torch.", "torch.special."; empty for methods and signs.
  std::string_view name;    // "GELU", "relu", "+".
  bool unary = false;       // Of signs: -x.
  bool reversed = false;    // Of signs: the tensor is what stands behind, 1 - x.
};

// Of a full name: "torch.nn.functional.gelu", "torch.Tensor.__add__".
Spelling SpellingOf(std::string_view full_name);

// How tightly Python's signs bind; an operand that binds less tightly needs parentheses.
inline constexpr int kTightest = 14;
int Tightness(std::string_view sign);

}  // namespace kernelmill
