// Writes the device function that maps an element to an unsigned integer of the same order, or of
// the reverse one, so that kernels sort integers. NaN counts as larger than every number. Called by
// the strategies that sort and select (strategies/sorts.cc, strategies/digits.cc).
#pragma once

#include <string>

#include "generators/lowering/device_definition.h"
#include "generators/lowering/scalar_type.h"

namespace kernelmill {

// Whether the key has 32 bits; keys of wider types have 64.
bool HasNarrowKey(DType dtype);
// The function `name`, which maps an element of compute type `type` to an unsigned key.
// `descending` puts the largest first. float64 is not supported.
DeviceDefinition OrderKey(const std::string& name, DType dtype, const std::string& type,
                          bool descending = false);

}  // namespace kernelmill
