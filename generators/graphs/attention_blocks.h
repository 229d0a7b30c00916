// Adds attention over sequences to the draft of a random graph. `x` and the results are values of
// the draft with shape (batch, length, width). Called by the sequence blocks and the models
// (sequence_blocks.h, models.cc).
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// The positions that each position may attend to.
enum class AttentionMask {
  kNone,
  kCausal,  // Earlier positions and itself.
  kGiven,   // The valid positions of its sequence, given as an input.
};

// `value` is a bool tensor that broadcasts to the scores, or kAbsent without a mask.
struct MaskedPositions {
  AttentionMask kind = AttentionMask::kNone;
  ValueId value = kAbsent;
};
// Draws a mask for layers over x, which all must use it.
MaskedPositions DrawMask(GraphDraft* draft, ValueId x);

// Multi-head attention. `heads` must divide the width at both sizes. Without `mask` it draws its
// own.
ValueId AttentionBlock(GraphDraft* draft, ValueId x, int heads,
                       const MaskedPositions* mask = nullptr);
// Attention with a single head over the whole width.
ValueId SingleHeadBlock(GraphDraft* draft, ValueId x);
// Attention of linear cost in the length: keys and values are multiplied first.
ValueId LinearAttentionBlock(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
