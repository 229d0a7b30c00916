// Numbers in the order of elements, as device code: what sorts and selects compares those.
#pragma once

#include <string>

#include "generators/lowering/scalar_type.h"

namespace kernelmill {

// Whether a key has 32 bits; those of wider types have 64.
bool HasNarrowKey(DType dtype);
// The definition of a function `name` from an element, of compute type `type`, to an unsigned key.
// `descending`: the largest comes first. Not of float64.
std::string OrderKeyText(const std::string& name, DType dtype, const std::string& type,
                         bool descending = false);

}  // namespace kernelmill
