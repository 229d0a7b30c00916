// Cases of sorts and order statistics with many equal elements, and of sums with infinities and NaN
// (acos of large inputs, log of zeros).
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

inline std::vector<LoweringCase> OrderCases() {
  return {
      {"order of whole numbers",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 6), b->Size("features", 75)},
                                    DType::kInt32);
         b->Outputs({b->Apply("argsort", {x}, {{"dim", Int(0)}, {"descending", Yes()}})});
       }},
      {"third of whole numbers along the middle",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("batch_size", 5), b->Size("channels", 40), b->Size("width", 9)},
             DType::kInt64);
         const ValueId y = b->Apply("kthvalue", {x}, {{"k", Int(3)}, {"dim", Int(1)}});
         b->Outputs({y, y + 1});
       }},
      {"median of all halves",
       [](GraphBuilder* b) {
         b->Outputs({b->Apply("median", {b->Input({b->Size("batch_size", 7), b->Size("width", 333)},
                                                  DType::kFloat16)})});
       }},
      {"median of rows that need not be numbers",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Within({b->Size("batch_size", 9), b->Size("features", 501)}, -1, 1);
         const ValueId y = b->Apply("median_dim", {b->Apply("acos", {x})},
                                    {{"dim", Int(1)}, {"keepdim", Yes()}});
         b->Outputs({y});
       }},
      {"largest of whole numbers",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 8), b->Size("features", 60)},
                                    DType::kInt32);
         const ValueId y = b->Apply("topk", {x}, {{"k", Int(7)}});
         b->Outputs({y, y + 1});
       }},
      {"order of rows of a few hundred",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 5), b->Size("features", 333)},
                                    DType::kBFloat16);
         const ValueId y = b->Apply("sort", {x}, {{"descending", Yes()}});
         b->Outputs({y, y + 1});
       }},
      {"order along the middle of what may be NaN",
       [](GraphBuilder* b) {
         const ValueId x = b->Within(
             {b->Size("batch_size", 3), b->Size("channels", 130), b->Size("width", 6)}, -1, 1);
         const ValueId y = b->Apply("sort", {b->Apply("acos", {x})}, {{"dim", Int(1)}});
         b->Outputs({y});
       }},
      {"order of a few that lie side by side",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("batch_size", 4), b->Size("channels", 12), b->Size("width", 31)});
         b->Outputs({b->Apply("argsort", {x}, {{"dim", Int(1)}})});
       }},
      {"where the least of three whole numbers is",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("batch_size", 70), b->Size("channels", 3), b->Size("width", 90)},
             DType::kInt32);
         b->Outputs({b->Apply("argmin", {x}, {{"dim", Int(1)}})});
       }},
      {"logsumexp of what may be NaN",
       [](GraphBuilder* b) {
         const ValueId x = b->Within(
             {b->Size("batch_size", 4), b->Size("channels", 33), b->Size("width", 10)}, -1, 1);
         b->Outputs({b->Apply("logsumexp", {b->Apply("acos", {x})}, {{"dim", Ints({1})}})});
       }},
      {"softmax of what may be infinite",
       [](GraphBuilder* b) {
         const ValueId x = b->Within(
             {b->Size("batch_size", 4), b->Size("channels", 33), b->Size("width", 40)}, 1, 3);
         b->Outputs({b->Apply("softmax", {b->Apply("exp", {x})}, {{"dim", Int(1)}})});
       }},
      {"logcumsumexp of what may be -inf",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Within({b->Size("batch_size", 5), b->Size("features", 700)}, 0.5, 1.5);
         b->Outputs({b->Apply("logcumsumexp", {b->Apply("log", {x})}, {{"dim", Int(1)}})});
       }},
  };
}

// Rows that are too long for strategies that compare all pairs of elements.
inline std::vector<LoweringCase> LongOrderCases() {
  return {
      {"order of rows longer than a tile",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 2), b->Size("features", 9001)}, DType::kFloat16);
         const ValueId y = b->Apply("sort", {x}, {{"descending", Yes()}});
         b->Outputs({y, y + 1});
       }},
      {"largest of rows longer than two tiles",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("batch_size", 2), b->Size("features", 12500), b->Size("width", 3)},
             DType::kInt32);
         const ValueId y = b->Apply("topk", {x}, {{"k", Int(40)}, {"dim", Int(1)}});
         b->Outputs({y, y + 1});
       }},
      {"median of more than a tile",
       [](GraphBuilder* b) {
         b->Outputs({b->Apply("median", {b->Input({b->Size("batch_size", 21),
                                                   b->Size("width", 301)})})});
       }},
  };
}

}  // namespace kernelmill
