// Cases of matrix products and convolutions.
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

inline std::vector<LoweringCase> ContractionCases() {
  return {
      {"linear, gelu and a factor",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 19), b->Size("in_features", 70)});
         const ValueId y = b->Apply("linear", {x}, {{"out_features", Attribute::Size(45)}});
         b->Outputs({b->Apply("gelu", {y})});
       }},
      {"a long sum",
       [](GraphBuilder* b) {
         const auto inner = b->Size("inner", 700);
         const ValueId x = b->Input({b->Size("rows", 9), inner});
         const ValueId y = b->Input({inner, b->Size("columns", 21)});
         b->Outputs({b->Apply("relu", {b->Apply("matmul", {x, y})})});
       }},
      {"batches of products in half precision",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 3), heads = b->Size("heads", 2),
                    inner = b->Size("dim", 40);
         const ValueId x = b->Input({batch, heads, b->Size("rows", 17), inner}, DType::kFloat16);
         const ValueId y = b->Input({batch, heads, inner, b->Size("columns", 33)}, DType::kFloat16);
         b->Outputs({b->Apply("matmul", {x, y})});
       }},
      {"convolution, relu and a sum",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 2), b->Size("in_channels", 6),
                                     b->Size("height", 13), b->Size("width", 11)});
         const ValueId y = b->Apply("conv2d", {x},
                                    {{"out_channels", Attribute::Size(10)},
                                     {"kernel_size", Int(3)},
                                     {"stride", Int(2)},
                                     {"padding", Int(1)}});
         b->Outputs({b->Apply("relu", {y})});
       }},
      {"depthwise convolution in one dimension",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 3), b->Size("channels", 12), b->Size("length", 50)});
         b->Outputs({b->Apply("conv1d", {x},
                              {{"out_channels", Attribute::Size(12)},
                               {"kernel_size", Int(5)},
                               {"dilation", Int(2)},
                               {"groups", Int(4)},
                               {"bias", Attribute::Flag(false)}})});
       }},
      {"transposed convolution in groups, whose phases have taps of their own",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 2), b->Size("channels", 8),
                                     b->Size("height", 7), b->Size("width", 6)});
         b->Outputs({b->Apply("conv_transpose2d", {x},
                              {{"out_channels", Attribute::Size(10)},
                               {"kernel_size", Ints({5, 3})},
                               {"stride", Ints({3, 2})},
                               {"padding", Ints({1, 0})},
                               {"output_padding", Ints({1, 0})},
                               {"groups", Int(2)}})});
       }},
      {"long sums for one column",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 21), b->Size("features", 170)});
         b->Outputs({b->Apply("linear", {x}, {{"out_features", Attribute::Size(1)}})});
       }},
      {"convolution in three dimensions",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 2), b->Size("in_channels", 3), b->Size("depth", 6),
                       b->Size("height", 7), b->Size("width", 5)});
         const ValueId y = b->Apply("conv3d", {x},
                                    {{"out_channels", Attribute::Size(4)},
                                     {"kernel_size", Int(3)},
                                     {"padding", Ints({1, 0, 1})}});
         b->Outputs({b->Apply("sigmoid", {y})});
       }},
  };
}

}  // namespace kernelmill
