// Operators of torch that an extension's library names, and that no device's forward needs: those of
// its branches for the CPU and of its backward pass.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "stages/verify/build/extension.h"

namespace kernelmill {

class OtherUses {
 public:
  // Reads the sources. Where they paste names together, every operator may be anywhere.
  explicit OtherUses(const ExtensionSources& sources);

  // Whether the text has the operator "aten::relu" there, and nowhere else.
  bool Explain(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> there_, elsewhere_;  // "relu"; "add" for a sum.
};

}  // namespace kernelmill
