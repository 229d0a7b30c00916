// Cases of reductions, softmax and norms.
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

inline std::vector<LoweringCase> RowCases() {
  return {
      {"sum of rows",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 19), b->Size("features", 300)});
         b->Outputs({b->Apply("sum", {x}, {{"dim", Ints({1})}})});
       }},
      {"mean of columns after a product",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 6), rows = b->Size("seq_len", 33),
                    columns = b->Size("features", 21);
         const ValueId x = b->Input({batch, rows, columns}), y = b->Input({columns});
         const ValueId z = b->Apply("mul", {b->Apply("tanh", {x}), y});
         const ValueId m = b->Apply("mean", {z}, {{"dim", Ints({1})}, {"keepdim", Yes()}});
         b->Outputs({b->Apply("sigmoid", {m})});
       }},
      {"mean of all of an image",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 3), b->Size("channels", 5),
                                     b->Size("height", 21), b->Size("width", 19)});
         const ValueId y = b->Apply("adaptive_avg_pool2d", {b->Apply("sign", {x})},
                                    {{"output_size", Ints({1, 1})}});
         b->Outputs({b->Apply("sigmoid", {y})});
       }},
      {"largest of all of a sequence",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 4), b->Size("channels", 3), b->Size("length", 700)});
         b->Outputs({b->Apply("adaptive_max_pool1d", {x}, {{"output_size", Ints({1})}})});
       }},
      {"mean of the columns of an image",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 2), b->Size("channels", 3),
                                     b->Size("height", 23), b->Size("width", 17)});
         b->Outputs({b->Apply("adaptive_avg_pool2d", {x}, {{"output_size", Ints({1, 4})}})});
       }},
      {"largest of all",
       [](GraphBuilder* b) {
         b->Outputs({b->Apply("max", {b->Input({b->Size("batch_size", 7), b->Size("width", 55)},
                                               DType::kFloat16)})});
       }},
      {"largest of each row and where",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 5), b->Size("channels", 17), b->Size("width", 9)});
         const ValueId y = b->Apply("max_dim", {x}, {{"dim", Int(1)}});
         b->Outputs({y, y + 1});
       }},
      {"mean of all squares",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 41), b->Size("features", 77)});
         b->Outputs({b->Apply("mean", {b->Apply("square", {x})})});
       }},
      {"where the smallest of long columns is",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("length", 1301), b->Size("width", 3)});
         b->Outputs({b->Apply("argmin", {x}, {{"dim", Int(0)}})});
       }},
      {"softmax of a few long rows",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 2), b->Size("features", 1543)});
         b->Outputs({b->Apply("mul", {b->Apply("softmax", {x}, {{"dim", Int(-1)}}), x})});
       }},
      {"instance norm of a large image",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 1), b->Size("channels", 2),
                                     b->Size("height", 31), b->Size("width", 37)});
         b->Outputs({b->Apply("instance_norm", {x})});
       }},
      {"sum of a few long columns",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("rows", 701), b->Size("columns", 41)});
         b->Outputs({b->Apply("relu", {b->Apply("sum", {x}, {{"dim", Ints({0})}})})});
       }},
      {"softmax along a few long columns",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("batch_size", 2), b->Size("length", 301), b->Size("channels", 20)},
             DType::kFloat16);
         b->Outputs({b->Apply("softmax", {x}, {{"dim", Int(1)}})});
       }},
      {"largest of columns and where",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("batch_size", 3), b->Size("length", 90), b->Size("channels", 13)},
             DType::kInt32);
         const ValueId y = b->Apply("max_dim", {x}, {{"dim", Int(1)}});
         b->Outputs({y, y + 1});
       }},
      {"variance of columns",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("length", 101), b->Size("channels", 70)});
         b->Outputs({b->Apply("var", {x}, {{"dim", Ints({0})}})});
       }},
      {"softmax along columns that lie side by side",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("batch_size", 2), b->Size("channels", 12), b->Size("width", 2101)});
         b->Outputs({b->Apply("softmax", {x}, {{"dim", Int(1)}})});
       }},
      {"root mean square of small halves",  // Small enough for the epsilon to matter.
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 5), b->Size("features", 70)},
                                    DType::kBFloat16);
         const ValueId small = b->Apply("mul_scalar", {x}, {{"other", Attribute::Number(0.015625)}});
         b->Outputs({b->Apply("rms_norm", {small}, {{"normalized_shape", Ints({70})}})});
       }},
      {"group norm of a few channels",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 3), b->Size("channels", 8),
                                     b->Size("height", 13), b->Size("width", 17)});
         b->Outputs({b->Apply("group_norm", {x}, {{"num_groups", Int(4)}})});
       }},
      {"softmax of rows",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 9), b->Size("features", 190)});
         b->Outputs({b->Apply("softmax", {x}, {{"dim", Int(-1)}})});
       }},
      {"log of softmax over channels",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 3), b->Size("channels", 11),
                                     b->Size("height", 6), b->Size("width", 10)},
                                    DType::kBFloat16);
         b->Outputs({b->Apply("tanh", {b->Apply("log_softmax", {x}, {{"dim", Int(1)}})})});
       }},
      {"layer norm and gelu",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 4), b->Size("seq_len", 13), b->Size("dim", 70)});
         const ValueId y = b->Apply("layer_norm", {x}, {{"normalized_shape", Ints({70})}});
         b->Outputs({b->Apply("add", {b->Apply("gelu", {y}), x})});
       }},
  };
}

}  // namespace kernelmill
