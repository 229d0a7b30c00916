// Adds blocks of image networks to the draft of a random graph. `x` and the results are values of
// the draft with shape (batch, channels, sizes…), with one to three spatial dimensions. Called by
// models.cc. The draft fails if an operator does not fit.
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
