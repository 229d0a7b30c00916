// Adds blocks of sequence networks to the draft of a random graph. `x` and the results are values
// of the draft with shape (batch, length, width). Called by models.cc. The draft fails if an
// operator does not fit.
#pragma once

#include "generators/graphs/attention_blocks.h"
#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Any block. `heads` must divide the width at both sizes. The result has the shape of x.
ValueId SequenceBlock(GraphDraft* draft, ValueId x, int heads);
ValueId EncoderLayer(GraphDraft* draft, ValueId x, int heads,
                     const MaskedPositions* mask = nullptr);
// An LSTM, a GRU or a plain recurrent layer. The result may have another width.
ValueId RecurrentBlock(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
