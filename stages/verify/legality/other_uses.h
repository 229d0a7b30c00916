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
  // Parses the sources. If macros paste names together, no operator can be explained.
  explicit OtherUses(const ExtensionSources& sources);

  // Whether the sources use the operator, such as "aten::relu", in such code and nowhere else.
  bool Explain(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> there_, elsewhere_;  // Names such as "relu"; an expression a +
                                                          // b counts as "add".
};

}  // namespace kernelmill
