// A definition in the CUDA source of an answer (a kernel, a device function or a struct): its name
// and its text. Strategies return the definitions that their kernels need, and AnswerText() writes
// each name once.
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
