// The cases of every class, and all answers to them.
#pragma once

#include "tests/stages/lowering/composed_cases.h"
#include "tests/stages/lowering/contraction_cases.h"
#include "tests/stages/lowering/element_cases.h"
#include "tests/stages/lowering/elementwise_cases.h"
#include "tests/stages/lowering/order_cases.h"
#include "tests/stages/lowering/permuted_cases.h"
#include "tests/stages/lowering/row_cases.h"
#include "tests/stages/lowering/scatter_cases.h"

namespace kernelmill {

inline std::vector<LoweringCase> AllLoweringCases() {
  std::vector<LoweringCase> all;
  for (const auto& cases : {ElementwiseCases(), RowCases(), ContractionCases(), ElementCases(),
                            ComposedCases(), OrderCases(), PermutedCases(), ScatterCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

// More answers than any case has.
inline constexpr int kManyAnswers = 16;

}  // namespace kernelmill
