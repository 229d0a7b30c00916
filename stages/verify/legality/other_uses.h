// Explains operators of torch that a library refers to but that forward() on a device does not
// call: those in branches for the CPU and in the backward pass. A function is the backward pass's if
// autograd calls it, or Python in a backward(): a member backward() of a class that is derived from
// torch::autograd::Function, or a function with such a name that no other code calls, in C++ or by
// a name that it is bound to. A name alone makes no function the backward pass's.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "stages/verify/build/extension.h"
#include "stages/verify/legality/called_names.h"

namespace kernelmill {

class OtherUses {
 public:
  // Parses the sources. If macros paste names together, no operator can be explained.
  OtherUses(const ExtensionSources& sources, const CalledNames& called);

  // Whether the sources use the operator, such as "aten::relu", in such code and nowhere else.
  bool Explain(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> there_, elsewhere_;  // Names such as "relu"; an expression a +
                                                          // b counts as "add".
};

}  // namespace kernelmill
