// What devices have no atomics for, as device code over those that they have.
#pragma once

#include <string>

namespace kernelmill {

// A function `name` that multiplies a float, or an int, in memory.
std::string AtomicProductText(const std::string& name, bool floating);
// Functions from a float to an int in the same order, and back: an atomic maximum, or minimum, of
// ints is one of floats then. NaN wins.
std::string AtomicKeyText(const std::string& key, const std::string& value, bool largest);

}  // namespace kernelmill
