// Lists the constructor parameters of torch.nn's layers ("Conv2d"), as far as they determine
// shapes. The evaluator (evaluator.h) names the arguments of layers with it, and GuessArguments()
// fills in those of a module that inherits a layer's constructor.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace kernelmill {

// The names of a layer's positional parameters, in order, up to the last one that matters for
// shapes. Empty for unknown layers, such as those that keep the shape of their input.
std::span<const std::string_view> LayerParameters(std::string_view layer);

// The required parameters of a layer's constructor, in order.
std::vector<std::string_view> RequiredParameters(std::string_view layer);

// The number of spatial dimensions in the name of a layer: 2 for "Conv2d", 0 without one.
int SpatialDimensions(std::string_view layer);

}  // namespace kernelmill
