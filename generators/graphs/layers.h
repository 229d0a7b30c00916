// Layers of which the blocks of random graphs are built. Each layer adds one or more operators,
// with settings that are usual in networks, to the draft, reads the value `x` and returns the
// result. Sizes are numbers of size variables of the draft, not sizes themselves: Width(),
// Channels(), ScaledSize() and HalfOf() return such a number.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// The variable of a value's last size, or of its channels (dimension 1). A new variable if that
// size has none, as after cat.
std::int16_t Width(GraphDraft* draft, ValueId x);
std::int16_t Channels(GraphDraft* draft, ValueId x);
// A variable for `numerator` / `denominator` times a size, at least 1.
std::int16_t ScaledSize(GraphDraft* draft, std::string_view name, std::int16_t size, int numerator,
                        int denominator = 1);
// A variable for half of a size, which must be at least 2; it serves to split a dimension in two.
std::int16_t HalfOf(GraphDraft* draft, std::string_view name, std::int16_t size);

// An activation function, drawn from the usual ones.
ValueId Activation(GraphDraft* draft, ValueId x);
// silu, or x * sigmoid(x) as two operators.
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
// A convolution over x's one, two or three spatial dimensions, padded so that a stride of 1 keeps
// the sizes.
ValueId Convolution(GraphDraft* draft, ValueId x, std::int16_t out_channels,
                    const ConvolutionSettings& settings);
// Doubles every spatial size.
ValueId Upsampling(GraphDraft* draft, ValueId x, std::int16_t out_channels);
// Halves every spatial size.
ValueId Downsampling(GraphDraft* draft, ValueId x);
// The mean over all spatial dimensions; `keep` leaves them with size 1.
ValueId SpatialMean(GraphDraft* draft, ValueId x, bool keep);
// All dimensions after the first, flattened.
ValueId Flattened(GraphDraft* draft, ValueId x);

}  // namespace kernelmill
