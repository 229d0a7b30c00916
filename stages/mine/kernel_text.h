// The text of a slice: its definitions in order, each inside of the namespaces and conditions that
// enclose it in its file.
#pragma once

#include <string>
#include <vector>

#include "stages/mine/kernel_closure.h"
#include "stages/mine/translation_unit.h"

namespace kernelmill {

struct KernelText {
  std::string code;
  std::int64_t line = 0;             // Of the kernel, 1-based.
  std::vector<std::string> omitted;  // Host member functions: "Spec::Spec".
};

KernelText WriteKernel(const TranslationUnit& unit, const KernelClosure& closure, int kernel,
                       bool musa);

}  // namespace kernelmill
