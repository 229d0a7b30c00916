// Blocks that networks are made of, each over a value that is there already. Their sizes follow
// from it; where an operator is missing or does not fit, the draft has failed.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Over images (batch, channels, height, width); the result is an image.
ValueId ConvolutionBlock(GraphDraft* draft, ValueId x, std::int16_t out_channels);
ValueId ResidualBlock(GraphDraft* draft, ValueId x);
ValueId BottleneckBlock(GraphDraft* draft, ValueId x);
ValueId InvertedResidualBlock(GraphDraft* draft, ValueId x);
ValueId SqueezeExcite(GraphDraft* draft, ValueId x);

// Over sequences (batch, length, width); the result is of the same shape.
ValueId MlpBlock(GraphDraft* draft, ValueId x);
ValueId GatedMlpBlock(GraphDraft* draft, ValueId x);
// `heads` divides the width at both sizes.
ValueId AttentionBlock(GraphDraft* draft, ValueId x, int heads);
ValueId EncoderLayer(GraphDraft* draft, ValueId x, int heads);

// A nonlinearity, drawn among those that such networks have.
ValueId Activation(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
