// Builds a candidate's extension into a library that runs its kernels on the CPU.
//
// The library is loaded by km_cuda (ExtensionCache::Runtime), our Python module:
//   km_cuda.configure(seed=0, step_budget=…)   thread and block order; scheduler steps of a launch
//   km_cuda.configure(run_kernels=False)       launches are recorded, and run nothing
//   km_cuda.load(path) -> object               its attributes are the functions that are bound
//   km_cuda.put_on_device(tensor)              host code that touches it is wrong from now on
//   km_cuda.put_on_host(tensor)                kernels that touch it are wrong from now on
//   km_cuda.share(tensor)                      both sides may touch it from now on
//   km_cuda.configure(host_by_default=True)    so are, for kernels, tensors that C++ makes without
//                                              naming a device
//   km_cuda.configure(sample={…})              only some blocks of each launch run: threads, part,
//                                              seed, fill, filled of runtime/launch_sample.h
//   km_cuda.reset()                            forgets launches and the fault
//   km_cuda.allocation_of(tensor) -> number    of its memory since then, or None
//   km_cuda.operators_behind() -> [name]       of torch, since the first launch of a sample
//   km_cuda.launches() -> [{kernel, file, line, grid, block, shared, steps, blocks_run,
//                                              first_block_items, global_atomics, counts}]
//   km_cuda.fault() -> None or {kind, message, file, line}
//   km_cuda.findings() -> [{kind, message, file, line}]   what is wrong but ended nothing
// A launch that faults raises RuntimeError("CUDA error: …") in the caller and leaves the fault
// behind; a fault stays until reset(), as a CUDA context's does.
#pragma once

#include <filesystem>
#include <string>

#include "manifests/status.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

struct BuiltExtension {
  bool ok = false;
  // Where it is not ok: "compile_error", "link_error", "compile_limit" (time or memory) or
  // "unsupported_feature" (tensor cores, PTX and what else this executor does not have).
  std::string reason;
  // The compiler's diagnostics, with the candidate's own files and lines; at most 8 KB.
  std::string log;
  std::filesystem::path library;
  // Whether the library registers its operators with TORCH_LIBRARY: they are in torch.ops once it
  // is loaded.
  bool has_torch_library = false;
};

// Builds the library, or finds the one that was built from the same rewritten text before. The
// compiler runs without a network and sees no file but its inputs. `runtime` comes from `cache` and
// is opened once for a run. A Status is a fault of ours, never of the candidate.
Result<BuiltExtension> BuildExtension(const ExtensionSources& sources, const ExtensionCache& cache,
                                      const CudaRuntime& runtime);

}  // namespace kernelmill
