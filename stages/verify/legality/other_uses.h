// Explains operators of torch that a library refers to but that forward() on a device does not
// call: those in branches for the CPU and in the backward pass.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "stages/verify/build/extension.h"

namespace kernelmill {

class OtherUses {
 public:
  // Reads the sources. Where macros paste names together, no operator can be explained.
  explicit OtherUses(const ExtensionSources& sources);

  // Whether the text has the operator, such as "aten::relu", in such code and nowhere else.
  bool Explain(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> there_, elsewhere_;  // "relu"; "add" for a sum.
};

}  // namespace kernelmill
