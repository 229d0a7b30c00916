// How a kernel computes the values that it stores, by the statements of its text that lead to them.
// Called by PurposeProse() (kernel_prose.h).
#pragma once

#include <string>
#include <vector>

#include "generators/kernel_prose/kernel_prose.h"

namespace kernelmill {

// `written`: the arrays that the kernel stores to. "" where not every stored value is explained by
// statements that are short enough to quote.
std::string StoredValuesProse(const KernelSubject& subject,
                              const std::vector<std::string>& written);

// The stored value in one statement, where it comes from a chain of assignments to `float`
// variables without loops or branches: "x[i] = tanhf(x[i] / scale) * scale;". "" otherwise.
std::string ComposedStore(const KernelSubject& subject, const std::vector<std::string>& written);

}  // namespace kernelmill
