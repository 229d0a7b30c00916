// Order-preserving integer sort keys.
#pragma once

#include <string>

#include "generators/lowering/device_definition.h"
#include "generators/lowering/scalar_type.h"

namespace kernelmill {

// Whether a key has 32 bits; those of wider types have 64.
bool HasNarrowKey(DType dtype);
// The function `name` from an element of compute type `type` to its unsigned key. `descending`: the
// largest comes first. Not of float64.
DeviceDefinition OrderKey(const std::string& name, DType dtype, const std::string& type,
                          bool descending = false);

}  // namespace kernelmill
