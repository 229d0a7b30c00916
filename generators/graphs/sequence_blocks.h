// Blocks over sequences (batch, length, width); where an operator does not fit, the draft has
// failed.
#pragma once

#include "generators/graphs/attention_blocks.h"
#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Any block; `heads` divides the width at both sizes. The result is of the same shape.
ValueId SequenceBlock(GraphDraft* draft, ValueId x, int heads);
ValueId EncoderLayer(GraphDraft* draft, ValueId x, int heads,
                     const MaskedPositions* mask = nullptr);
// An LSTM, a GRU, or a plain recurrent layer; the result has another width.
ValueId RecurrentBlock(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
