// Cases of operators on elements: moves, gathers, pooling, scans, attention, class losses.
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

inline std::vector<LoweringCase> ElementCases() {
  return {
      {"cat of transposed inputs",
       [](GraphBuilder* b) {
         const auto rows = b->Size("rows", 14), columns = b->Size("columns", 9);
         const ValueId x = b->Input({columns, rows}, DType::kFloat32, InputLayout::kTransposed);
         const ValueId y = b->Input({columns, b->Size("more", 5)});
         b->Outputs({b->Apply("cat", {x, y}, {{"dim", Int(1)}})});
       }},
      {"a view alone",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 3), b->Size("rows", 12), b->Size("columns", 7)});
         b->Outputs({b->Apply("transpose", {x}, {{"dim0", Int(0)}, {"dim1", Int(2)}})});
       }},
      {"largest of windows, then relu",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 2), b->Size("channels", 3),
                                     b->Size("height", 13), b->Size("width", 10)});
         const ValueId y = b->Apply(
             "max_pool2d", {x}, {{"kernel_size", Int(3)}, {"stride", Int(2)}, {"padding", Int(1)}});
         b->Outputs({b->Apply("relu", {y})});
       }},
      {"mean of windows",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 2), b->Size("channels", 4), b->Size("length", 31)});
         b->Outputs({b->Apply("avg_pool1d", {x}, {{"kernel_size", Int(4)}, {"stride", Int(3)}})});
       }},
      {"running sums",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 4), b->Size("features", 300)});
         b->Outputs({b->Apply("cumsum", {x}, {{"dim", Int(1)}})});
       }},
      {"running sums of long rows",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 2), b->Size("features", 2603)});
         b->Outputs({b->Apply("tanh", {b->Apply("cumsum", {x}, {{"dim", Int(1)}})})});
       }},
      {"largest so far of long rows",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 3), b->Size("features", 1500)}, DType::kInt32);
         const ValueId y = b->Apply("cummax", {x}, {{"dim", Int(1)}});
         b->Outputs({y, y + 1});
       }},
      {"running sums down many columns",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 33), b->Size("length", 7), b->Size("width", 150)});
         b->Outputs({b->Apply("cumsum", {x}, {{"dim", Int(1)}})});
       }},
      {"batch norm of a layer in training",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 4), b->Size("channels", 6),
                                     b->Size("height", 5), b->Size("width", 7)});
         b->Outputs({b->Apply("relu", {b->Apply("batch_norm", {x})})});
       }},
      {"attention with the future hidden",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 2), heads = b->Size("heads", 3),
                    length = b->Size("seq_len", 21), dim = b->Size("dim", 16);
         const ValueId q = b->Input({batch, heads, length, dim});
         const ValueId k = b->Input({batch, heads, length, dim});
         const ValueId v = b->Input({batch, heads, length, dim});
         b->Outputs({b->Apply("scaled_dot_product_attention", {q, k, v}, {{"is_causal", Yes()}})});
       }},
      {"attention of values that are wider than keys, some of them masked",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 2), queries = b->Size("seq_len", 37),
                    keys = b->Size("length", 70), dim = b->Size("dim", 45);
         const ValueId q = b->Input({batch, queries, dim});
         const ValueId k = b->Input({batch, keys, dim});
         const ValueId v = b->Input({batch, keys, b->Size("value_dim", 131)});
         const ValueId mask = b->Input({queries, keys}, DType::kBool);
         b->Outputs({b->Apply("tanh", {b->Apply("scaled_dot_product_attention", {q, k, v, mask})})});
       }},
      {"attention in half precision with numbers added to its scores",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 2), heads = b->Size("heads", 2),
                    queries = b->Size("seq_len", 70), keys = b->Size("length", 19),
                    dim = b->Size("dim", 36);
         const ValueId q = b->Input({batch, heads, queries, dim}, DType::kFloat16);
         const ValueId k = b->Input({batch, heads, keys, dim}, DType::kFloat16);
         const ValueId v = b->Input({batch, heads, keys, dim}, DType::kFloat16);
         const ValueId mask =
             b->Input({batch, b->Size("one", 1), queries, keys}, DType::kFloat16);
         b->Outputs({b->Apply("scaled_dot_product_attention", {q, k, v, mask},
                              {{"scale", Attribute::Number(0.25)}})});
       }},
      {"attention to nothing that comes later, queries in several tiles",
       [](GraphBuilder* b) {
         const auto length = b->Size("seq_len", 131), dim = b->Size("dim", 20);
         const ValueId q = b->Input({length, dim}), k = b->Input({b->Size("length", 90), dim});
         b->Outputs({b->Apply("scaled_dot_product_attention", {q, k, k}, {{"is_causal", Yes()}})});
       }},
      {"mean squared error",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 13), features = b->Size("features", 40);
         const ValueId x = b->Input({batch, features}), y = b->Input({batch, features});
         b->Outputs({b->Apply("mse_loss", {x, y})});
       }},
      {"distance of rows that were computed just before",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 13), width = b->Size("dim", 37);
         const ValueId x = b->Input({batch, width}), y = b->Input({batch, width});
         b->Outputs({b->Apply("pairwise_distance", {b->Apply("tanh", {x}), y})});
       }},
  };
}

}  // namespace kernelmill
