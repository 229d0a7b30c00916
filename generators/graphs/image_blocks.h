// Adds blocks over (batch, channels, sizes…) with one to three spatial dimensions to a draft. The
// draft fails if an operator does not fit.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Convolution, normalization and activation.
ValueId ConvolutionBlock(GraphDraft* draft, ValueId x, std::int16_t out_channels);
// Any block. Channels and sizes may change.
ValueId ImageBlock(GraphDraft* draft, ValueId x);
// Downsampling, upsampling, and a skip connection around both.
ValueId HourglassBlock(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
