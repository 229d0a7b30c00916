// Python that means the same and that the worker's gate (stages/worker/torch_worker/sandbox/gate.py) lets
// pass: it refuses dir() and the dunder methods that setattr() and delattr() call.
#pragma once

#include <string>

namespace kernelmill {

// "x" in dir(m)          → hasattr(m, "x")
// self.__setattr__(a, b) → setattr(self, a, b)
// self.__delattr__(a)    → delattr(self, a)
std::string InWorkerDialect(const std::string& code);

}  // namespace kernelmill
