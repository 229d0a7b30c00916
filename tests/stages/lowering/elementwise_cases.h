// Cases of groups without a head, which compute elementwise.
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

inline std::vector<LoweringCase> ElementwiseCases() {
  return {
      {"gelu of sigmoid",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 37), b->Size("features", 129)});
         b->Outputs({b->Apply("gelu", {b->Apply("sigmoid", {x})})});
       }},
      {"a factor for each channel",
       [](GraphBuilder* b) {
         const auto channels = b->Size("channels", 12), one = b->Size("one", 1);
         const ValueId x = b->Input(
             {b->Size("batch_size", 3), channels, b->Size("height", 9), b->Size("width", 7)});
         const ValueId scale = b->Input({channels, one, one});
         b->Outputs({b->Apply("relu", {b->Apply("add", {b->Apply("mul", {x, scale}), x})})});
       }},
      {"swiglu in half precision",
       [](GraphBuilder* b) {
         const auto length = b->Size("length", 1003);
         const ValueId x = b->Input({length}, DType::kFloat16);
         const ValueId y = b->Input({length}, DType::kFloat16);
         b->Outputs({b->Apply("mul", {b->Apply("silu", {x}), y})});
       }},
      {"a step after several roundings",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("length", 4099)}, DType::kFloat16);
         const ValueId scaled = b->Apply("mul_scalar", {x}, {{"other", Attribute::Number(9.7)}});
         const ValueId y = b->Apply("add_scalar", {scaled}, {{"other", Attribute::Number(0.3)}});
         b->Outputs({b->Apply("floor", {b->Apply("mul", {y, y})})});
       }},
      {"integers",
       [](GraphBuilder* b) {
         const auto length = b->Size("length", 77);
         const ValueId x = b->Input({length}, DType::kInt32);
         const ValueId y = b->Input({length}, DType::kInt32);
         b->Outputs({b->Apply("add", {b->Apply("relu", {b->Apply("mul", {x, y})}), x})});
       }},
      {"two results",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 18), b->Size("features", 33)}, DType::kBFloat16);
         const ValueId y = b->Apply("tanh", {x});
         b->Outputs({y, b->Apply("gelu", {y})});
       }},
  };
}

}  // namespace kernelmill
