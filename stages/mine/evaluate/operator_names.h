// What functions and methods of torch do to shapes, by name.
#pragma once

#include <string_view>

namespace kernelmill {

// It returns the shape of its first argument.
bool KeepsShape(std::string_view name);
// It broadcasts two tensors.
bool IsElementwise(std::string_view name);
// It takes dimensions away, those of `dim` or all.
bool IsReduction(std::string_view name);

}  // namespace kernelmill
