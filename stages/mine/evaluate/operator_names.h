// Classifies functions and methods of torch by their effect on shapes, by name ("relu", "mean").
// The evaluator (evaluator.h) asks for each call on a tensor.
#pragma once

#include <string_view>

namespace kernelmill {

// Whether the result has the shape of the first argument.
bool KeepsShape(std::string_view name);
// Whether it broadcasts two tensors.
bool IsElementwise(std::string_view name);
// Whether it removes dimensions: those that its argument `dim` names, or all.
bool IsReduction(std::string_view name);

}  // namespace kernelmill
