// Cases of composed operators: recurrent layers, attention with its projections, sample losses,
// grid sampling, splits.
#pragma once

#include "tests/stages/lowering/lowering_case.h"

namespace kernelmill {

inline std::vector<LoweringCase> ComposedCases() {
  return {
      {"two layers of an LSTM in both directions",
       [](GraphBuilder* b) {
         const ValueId x =
             b->Input({b->Size("batch_size", 3), b->Size("seq_len", 5), b->Size("in_features", 6)});
         const ValueId y = b->Apply("lstm", {x},
                                    {{"hidden_size", Attribute::Size(7)},
                                     {"num_layers", Int(2)},
                                     {"bidirectional", Yes()},
                                     {"batch_first", Yes()}});
         b->Outputs({y, y + 1, y + 2});
       }},
      {"a cell of a GRU",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 4);
         const ValueId x = b->Input({batch, b->Size("in_features", 9)}),
                       h = b->Input({batch, b->Size("hidden_size", 11)});
         b->Outputs({b->Apply("gru_cell", {x, h}, {{"hidden_size", Attribute::Size(11)}})});
       }},
      {"attention with its projections",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 3), width = b->Size("dim", 12);
         const ValueId q = b->Input({b->Size("seq_len", 7), batch, width}),
                       k = b->Input({b->Size("length", 5), batch, width});
         const ValueId y =
             b->Apply("multi_head_attention_forward", {q, k, k}, {{"num_heads", Int(3)}});
         b->Outputs({y, y + 1});
       }},
      {"attention of a sequence to itself, its weights not asked for",
       [](GraphBuilder* b) {
         const ValueId x = b->Input(
             {b->Size("seq_len", 70), b->Size("batch_size", 2), b->Size("dim", 36)});
         b->Outputs({b->Apply("multi_head_attention_forward", {x, x, x}, {{"num_heads", Int(2)}})});
       }},
      {"triplets that swap",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 9), width = b->Size("dim", 14);
         b->Outputs({b->Apply(
             "triplet_margin_loss",
             {b->Input({batch, width}), b->Input({batch, width}), b->Input({batch, width})},
             {{"swap", Yes()}})});
       }},
      {"smoothed cross entropy of pixels",
       [](GraphBuilder* b) {
         const auto batch = b->Size("batch_size", 3), length = b->Size("length", 8);
         b->Outputs({b->Apply(
             "cross_entropy",
             {b->Input({batch, b->Size("num_classes", 5), length}), b->Indices({batch, length}, 5)},
             {{"label_smoothing", Attribute::Number(0.125)}})});
       }},
      {"halves of a tensor",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 4), b->Size("channels", 10)});
         const ValueId y = b->Apply("chunk", {x}, {{"chunks", Int(2)}, {"dim", Int(1)}});
         b->Outputs({y, y + 1});
       }},
      {"every second column from the third on",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 4), b->Size("features", 13)});
         b->Outputs(
             {b->Apply("slice", {x}, {{"dim", Int(1)}, {"start", Int(2)}, {"step", Int(2)}})});
       }},
      {"cubic interpolation",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 2), b->Size("channels", 3),
                                     b->Size("height", 6), b->Size("width", 7)});
         b->Outputs({b->Apply(
             "interpolate", {x},
             {{"scale_factor", Attribute::Number(1.5)}, {"mode", Attribute::Choice(3)}})});
       }},
      {"sums of rows and of what lies between",
       [](GraphBuilder* b) {
         const ValueId x = b->Input({b->Size("batch_size", 3), b->Size("channels", 4),
                                     b->Size("height", 5), b->Size("width", 6)});
         b->Outputs({b->Apply("sum", {x}, {{"dim", Ints({0, 2})}})});
       }},
  };
}

}  // namespace kernelmill
