// Turns a CUDA or MUSA source into C++ that the CPU executor's headers compile
// (stages/cuda_executor/include): launches become calls of a launcher, `__shared__` variables
// become references into the block's storage, names of devices answer for the device that is not
// there, MUSA's names become CUDA's. Every line keeps its number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kernelmill {

struct CudaRewrite {
  std::string text;
  std::size_t launches = 0;  // Launches that became calls, those in macros counted once.
};

// `source` must be UTF-8 and may be anything: what does not parse stays as it is, and the compiler
// says what is wrong with it. `musa`: MUSA's names are known. `whole`: what a statement reads from
// memory, or writes there, goes through Loaded() and Stored() (kernelmill/whole_access.h).
CudaRewrite RewriteForCpu(std::string_view source, bool musa, bool whole = false);

// Only the names: what a source without kernels needs.
std::string RewriteDeviceNames(std::string_view source, bool musa);

// What the executor does not have: a name that only such code uses ("wmma", "asm", "cutlass"), and
// its line. Nothing when the source uses none.
struct UnsupportedFeature {
  std::string_view name;
  std::size_t line = 0;
};
std::optional<UnsupportedFeature> FindUnsupportedFeature(std::string_view source);

}  // namespace kernelmill
