// The platforms that native kernels are written for (CUDA and MUSA), one constant row each: the
// names that an answer's Python and C++ code use on the platform, and the macros that its compiler
// defines. The lowering writes answers by it, and the verifier compiles and checks them by it. A
// backend is used by reference and compared by address; rows live as long as the program, and any
// thread may read them. To add a backend, add its row to kernel_backend.cc: nothing else decides by
// name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Devices of one warp width, and the macros that the platform's compiler defines for them.
struct WarpTarget {
  int width;                // Threads in a warp.
  std::string_view macros;  // "#define NAME VALUE" lines; empty where CUDA's own suffice.
};

struct KernelBackend {
  std::string_view name;   // "cuda": in records, configurations and arguments; torch's device type.
  std::string_view title;  // "CUDA": in texts for readers.

  // The Python side of an answer.
  std::string_view loader_module;    // The module that load_inline is imported from.
  std::string_view loader_imports;   // The statements that import it.
  std::string_view sources_keyword;  // load_inline's parameter for device sources.
  std::string_view flags_keyword;  // load_inline's parameter for the flags of the device compiler.

  // The device source.
  std::string_view source_suffix;    // ".cu" for CUDA.
  std::string_view headers;          // The #include lines that every source begins with.
  std::string_view half_header;      // The #include line that a source with float16 adds.
  std::string_view bfloat16_header;  // The #include line that a source with bfloat16 adds.
  std::string_view half_type;
  std::string_view bfloat16_type;
  std::string_view device_guard;    // The class that makes a tensor's device current.
  std::string_view current_stream;  // The expression for the stream that torch uses.
  std::string_view launch_check;    // The statement that checks a launch for errors.

  std::span<const WarpTarget> warp_targets;  // The first is the default.
  // Whether sources use CUDA's names. Other names are replaced by CUDA's (RewriteDeviceNames)
  // before the CPU executor's headers and NVRTC see the source.
  bool has_cuda_names;
  // The platform's compiler when kernelmill cannot run it; empty for CUDA, which NVRTC compiles.
  std::string_view unavailable_compiler;
};

extern const KernelBackend kCudaBackend;
extern const KernelBackend kMusaBackend;

// All backends, CUDA first.
std::span<const KernelBackend* const> KernelBackends();
// "cuda", "musa".
std::vector<std::string> KernelBackendNames();

// Null for an unknown name.
const KernelBackend* FindKernelBackend(std::string_view name);
// kConfig with the known names for an unknown one.
Result<const KernelBackend*> KernelBackendNamed(std::string_view name);

}  // namespace kernelmill
