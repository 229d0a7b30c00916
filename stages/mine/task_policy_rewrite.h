// Rewrites Python of a slice that the worker's task policy refuses into Python that it accepts and
// that means the same; called by GuessArguments() (arguments.h). The policy
// (stages/worker/torch_worker/sandbox/task_policy.py) refuses dir() and the dunder methods that
// setattr() and delattr() call.
#pragma once

#include <string>

namespace kernelmill {

// "x" in dir(m)          → hasattr(m, "x")
// self.__setattr__(a, b) → setattr(self, a, b)
// self.__delattr__(a)    → delattr(self, a)
std::string RewriteForTaskPolicy(const std::string& code);

}  // namespace kernelmill
