// Cases whose inputs lie in memory in another order than that of their dimensions.
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

inline std::vector<LoweringCase> PermutedCases() {
  return {
      {"factors of the columns of a transposed matrix",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 37), b->Size("in_features", 70)},
                                    DType::kFloat32, InputLayout::kTransposed);
         b->Outputs({b->Apply("prelu", {x}, {{"num_parameters", Attribute::Size(70)}})});
       }},
      {"linear of a transposed matrix",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 19), b->Size("in_features", 70)},
                                    DType::kFloat32, InputLayout::kTransposed);
         b->Outputs({b->Apply("linear", {x}, {{"out_features", Attribute::Size(45)}})});
       }},
      {"product of a transposed matrix",
       [](GraphBuilder* b) {
         const auto inner = b->Size("inner", 35);
         const ValueId x = b->Input({b->Size("batch_size", 22), inner}, DType::kFloat32,
                                    InputLayout::kTransposed);
         const ValueId y = b->Input({inner, b->Size("columns", 41)});
         b->Outputs({b->Apply("matmul", {x, y})});
       }},
  };
}

}  // namespace kernelmill
