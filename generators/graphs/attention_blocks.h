// Attention over sequences: (batch, length, width) in and out.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Which positions a position may look at.
enum class AttentionMask {
  kNone,
  kCausal,  // Those before it and itself.
  kGiven,   // Those of one sequence that an input says are there.
};

// `value` is a tensor of bools that broadcasts to scores, or kAbsent where nothing is masked.
struct MaskedPositions {
  AttentionMask kind = AttentionMask::kNone;
  ValueId value = kAbsent;
};
// For layers over x, which all have to use it.
MaskedPositions DrawMask(GraphDraft* draft, ValueId x);

// `heads` divides the width at both sizes. Without a mask that others share it has its own.
ValueId AttentionBlock(GraphDraft* draft, ValueId x, int heads,
                       const MaskedPositions* mask = nullptr);
// One head over the whole width, without splitting.
ValueId SingleHeadBlock(GraphDraft* draft, ValueId x);
// Linear in the length: the keys meet the values first.
ValueId LinearAttentionBlock(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
