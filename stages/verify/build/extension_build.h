// Builds a candidate's extension into a library that runs its kernels on the CPU. Called for each
// library that a candidate asks for (candidate_libraries.h), through the judge's options.
//
// The library is loaded by km_cuda (ExtensionCache::Runtime), our Python module:
//   km_cuda.configure(seed=0, step_budget=…)   order of threads and blocks; steps per launch
//   km_cuda.configure(warp_width=32)           lanes of a warp: 32, or those of the backend
//   km_cuda.configure(run_kernels=False)       launches are recorded, but kernels do not run
//   km_cuda.configure(fills_memory=False)      new memory stays as the system gives it
//   km_cuda.configure(spread_memory=True)      unused memory lies behind each allocation
//   km_cuda.load(path) -> object               an object whose attributes are the bound functions
//   km_cuda.put_on_device(tensor)              from now on host code must not access it
//   km_cuda.put_on_host(tensor)                from now on kernels must not access it
//   km_cuda.to_host(tensor) -> tensor          the tensor in host memory: a copy, or itself
//   km_cuda.to_device(tensor) -> tensor        the tensor in device memory: a copy, or itself
//   km_cuda.to_pinned(tensor) -> tensor        a copy that both may access
//   km_cuda.is_on_device(tensor) -> bool       whether host code must not access it
//   km_cuda.call(function) -> result           calls the function as host code
//   km_cuda.bytes_to_host() -> number          bytes of the device's values that have reached host
//                                              code; never reset
//   km_cuda.configure(host_by_default=True)    kernels must not access tensors that C++ creates
//                                              without naming a device
//   km_cuda.configure(sample={…})              only some blocks of each launch run: threads, part,
//                                              seed, fill, filled, touched_pages, launches
//                                              of runtime/launch_sample.h; None: all run
//   km_cuda.reset(keep_attributes=False)       clears the record of launches and the fault; the
//                                              attributes of kernels too, unless they are kept
//   km_cuda.allocation_of(tensor) -> number    index of the allocation since reset(), or None
//   km_cuda.operators_behind() -> [name]       torch operators since the first launch of a sample
//   km_cuda.launches() -> [{kernel, file, line, grid, block, shared, steps, blocks_run,
//                                              first_block_items, items, items_before,
//                                              left_pages, global_atomics, counts}]
//   km_cuda.launch_count() -> number           launches since reset()
//   km_cuda.fault() -> None or {kind, reason, message, file, line}
//   km_cuda.findings() -> [{kind, reason, message, file, line}]   errors that did not end a launch
// A launch that faults raises RuntimeError("CUDA error: …") in the caller. The fault is sticky
// until reset(), like an error of a CUDA context.
#pragma once

#include <filesystem>
#include <string>

#include "manifests/status.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

struct BuiltExtension {
  bool ok = false;
  // If it is not ok: "compile_error", "link_error", "compile_limit" (time or memory) or
  // "unsupported_feature" (instructions of PTX, libraries and other features that the executor
  // lacks).
  std::string reason;
  // The compiler's diagnostics, with the candidate's own files and lines; at most 8 KB.
  std::string log;
  std::filesystem::path library;
  // The candidate's text as the host's compiler gets it (TextForHost() in cuda_mode_check.h); only
  // of the plain kind of build.
  std::string host_text;
  // Whether the library registers its operators with TORCH_LIBRARY: they are in torch.ops once it
  // is loaded.
  bool has_torch_library = false;
};

// The name, beside the library that runs, of what is built of the same text without __CUDA_ARCH__,
// as host code is for a device. It is there if the text can tell the two apart, and never runs: the
// rules for the symbols of a library hold for both.
inline constexpr char kHostLibrary[] = "host.so";

// Builds the library, or returns the cached one that was built from the same rewritten text. The
// compiler runs without a network and sees no file but its inputs. `runtime` comes from `cache` and
// is opened once for a run. A Status that is not ok is never the candidate's fault.
Result<BuiltExtension> BuildExtension(const ExtensionSources& sources, const ExtensionCache& cache,
                                      const CudaRuntime& runtime);

}  // namespace kernelmill
