// The layers that blocks are put together from: calls with the settings that networks give them.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// The variable that a value's last size is, and its channels, dimension 1; a new one where it is
// none: after cat.
std::int16_t Width(GraphDraft* draft, ValueId x);
std::int16_t Channels(GraphDraft* draft, ValueId x);
// `numerator` / `denominator` times a size, at least 1.
std::int16_t ScaledSize(GraphDraft* draft, std::string_view name, std::int16_t size, int numerator,
                        int denominator = 1);
// Half of a size of two or more, at which something is cut in two.
std::int16_t HalfOf(GraphDraft* draft, std::string_view name, std::int16_t size);

// A nonlinearity, drawn among those that such networks have.
ValueId Activation(GraphDraft* draft, ValueId x);
// silu, or x * sigmoid(x) by hand.
ValueId Swish(GraphDraft* draft, ValueId x);
ValueId ChannelNorm(GraphDraft* draft, ValueId x);
// Over the last dimension.
ValueId LayerNorm(GraphDraft* draft, ValueId x);
ValueId Linear(GraphDraft* draft, ValueId x, std::int16_t width, std::string_view member = {},
               bool bias = true);

struct ConvolutionSettings {
  int kernel = 3;
  int stride = 1;
  int dilation = 1;
  bool bias = true;
  bool depthwise = false;
  std::string_view member;
};
// Over one, two or three dimensions, as x has them; padded so that a stride of 1 keeps sizes.
ValueId Convolution(GraphDraft* draft, ValueId x, std::int16_t out_channels,
                    const ConvolutionSettings& settings);
// Twice as large in every dimension of space.
ValueId Upsampling(GraphDraft* draft, ValueId x, std::int16_t out_channels);
// Half as large.
ValueId Downsampling(GraphDraft* draft, ValueId x);
// The mean of all that lies behind the channels, those of size 1 or gone.
ValueId SpatialMean(GraphDraft* draft, ValueId x, bool keep);
// All that lies behind the first dimension side by side.
ValueId Flattened(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
