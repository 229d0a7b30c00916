// Writes CUDA device functions for atomic operations that the device lacks (multiplication; maximum
// and minimum of floats), based on those that it has. Called by the strategies for scatters.
#pragma once

#include <string>

#include "generators/lowering/device_definition.h"

namespace kernelmill {

// The function `name`, which atomically multiplies a float, or an int, in memory.
DeviceDefinition AtomicProduct(const std::string& name, bool floating);
// The function `to_key`, which maps a float to an int in the same order, and `from_key`, its
// inverse. With them an atomic maximum (or minimum, by `largest`) of ints is one of floats. NaN
// wins.
DeviceDefinitions AtomicKeys(const std::string& to_key, const std::string& from_key, bool largest);

}  // namespace kernelmill
