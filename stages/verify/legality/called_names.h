// The names that a candidate's Python uses outside of a backward pass: what is bound under another
// name is not called by forward().
//
// A backward pass is a method backward() of a class that is derived from a class named Function, as
// long as the text names no attribute "backward" itself. If the text gets attributes whose names it
// computes (getattr, vars, __dict__ …), every name counts as used.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kernelmill {

class CalledNames {
 public:
  explicit CalledNames(std::string_view python);
  bool Contains(std::string_view name) const { return all_ || names_.contains(name); }

 private:
  std::set<std::string, std::less<>> names_;
  bool all_ = false;
};

}  // namespace kernelmill
