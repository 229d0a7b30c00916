// Definitions of device code: kernels, functions and structs, each under the name that it defines.
#pragma once

#include <string>
#include <vector>

namespace kernelmill {

// An answer holds each name once. Kernels and what only they call have names that begin with their
// function's; what several groups may call (warp_merge, a reduction's state) has one name and one
// text.
struct DeviceDefinition {
  std::string name;
  std::string text;  // With the comment above it; ends with a newline.

  friend bool operator==(const DeviceDefinition&, const DeviceDefinition&) = default;
};

using DeviceDefinitions = std::vector<DeviceDefinition>;

}  // namespace kernelmill
