// Rewrites a CUDA or MUSA source as C++ that the CPU executor's headers compile
// (stages/cuda_executor/include). Launches become calls of a launcher, `__shared__` variables
// become references into the block's storage, inline PTX becomes calls, queries of the device are
// answered for a simulated one, and another backend's names become CUDA's. Every line keeps its
// number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/kernel_backend.h"

namespace kernelmill {

struct CudaRewrite {
  std::string text;
  std::size_t launches = 0;  // The number of rewritten launches; one in a macro counts once.
};

// What becomes of accesses to memory: they go through Aligned() (aligned_access.h in
// stages/cuda_executor/include/kernelmill), through Loaded() and Stored() (whole_access.h), those
// that read go through KM_READ_WHOLE() (whole_access.h), all go through MaybeVolatile()
// (volatile_access.h), or all stay as they are.
enum class AccessRewrite { kAligned, kWhole, kReadsWhole, kVolatile, kNone };

// Whether the rounds of loops are counted in which a thread may wait for others (waiting_loops.h).
enum class WaitRewrite { kNone, kCounted };

// `source` must be UTF-8 and may be anything: text that does not parse is left as it is, and the
// compiler reports it. `backend`: whose names the source uses.
CudaRewrite RewriteForCpu(std::string_view source, const KernelBackend& backend,
                          AccessRewrite accesses = AccessRewrite::kAligned,
                          WaitRewrite waits = WaitRewrite::kNone);

// Rewrites only the names, which suffices for a source without kernels.
std::string RewriteDeviceNames(std::string_view source, const KernelBackend& backend);

// A feature that the executor lacks: the name in the source that shows its use ("cutlass",
// "this_grid"), and its line.
struct UnsupportedFeature {
  std::string_view name;
  std::size_t line = 0;
};
// The first such feature, or std::nullopt when the source uses none.
std::optional<UnsupportedFeature> FindUnsupportedFeature(std::string_view source);

}  // namespace kernelmill
