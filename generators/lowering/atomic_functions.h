// Device functions for atomic operations that devices lack, made of those that they have.
#pragma once

#include <string>

#include "generators/lowering/device_definition.h"

namespace kernelmill {

// The function `name`, which multiplies a float, or an int, in memory.
DeviceDefinition AtomicProduct(const std::string& name, bool floating);
// The functions `key`, from a float to an int in the same order, and `value`, its inverse: an
// atomic maximum, or minimum, of ints is one of floats then. NaN wins.
DeviceDefinitions AtomicKeys(const std::string& key, const std::string& value, bool largest);

}  // namespace kernelmill
