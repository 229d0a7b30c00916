// Blocks over (batch, channels, sizes…), one to three of them; where an operator does not fit, the
// draft has failed.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Convolution, normalisation, nonlinearity.
ValueId ConvolutionBlock(GraphDraft* draft, ValueId x, std::int16_t out_channels);
// Any block; channels and sizes may change.
ValueId ImageBlock(GraphDraft* draft, ValueId x);
// Down, up again, and what was there before beside it.
ValueId HourglassBlock(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
