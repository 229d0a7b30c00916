// Writes the text of a kernel slice from the definitions that CloseOver() found: in order, each
// inside the namespaces and conditions that enclose it in its file, after #include lines for
// toolkit headers. Called by CutKernel() (kernel_slicer.h).
#pragma once

#include <string>
#include <vector>

#include "corpora/kernel_backend.h"
#include "parsers/kernel_slices/kernel_closure.h"
#include "parsers/kernel_slices/translation_unit.h"

namespace kernelmill {

struct KernelText {
  std::string code;
  std::int64_t line = 0;             // The line in `code` on which the kernel begins, 1-based.
  std::vector<std::string> omitted;  // Host member functions that were left out: "Spec::Spec".
};

// `kernel` is an entry of `closure`. Toolkit headers get the names that they have for `backend`.
KernelText WriteKernelSlice(const TranslationUnit& unit, const KernelClosure& closure, int kernel,
                            const KernelBackend& backend);
// The same below `lines` instead of the #include lines that the slice needs.
KernelText WriteKernelSlice(const TranslationUnit& unit, const KernelClosure& closure, int kernel,
                            const std::vector<std::string>& lines);

}  // namespace kernelmill
