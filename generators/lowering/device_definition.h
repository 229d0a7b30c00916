// A definition in a device source (a kernel, a function or a struct), stored under the name that it
// defines.
#pragma once

#include <string>
#include <vector>

namespace kernelmill {

// An answer defines each name once. Kernels, and definitions that only they use, have names that
// begin with the name of their host function. Definitions that several groups may use (warp_merge,
// the state of a reduction) have one name and one text.
struct DeviceDefinition {
  std::string name;
  std::string text;  // With the comment above it; ends with a newline.

  friend bool operator==(const DeviceDefinition&, const DeviceDefinition&) = default;
};

using DeviceDefinitions = std::vector<DeviceDefinition>;

}  // namespace kernelmill
