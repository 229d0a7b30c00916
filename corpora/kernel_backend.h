// The platforms that native kernels are written for (CUDA and MUSA), one constant row each: the
// names that an answer's Python and C++ code use on the platform, the CUDA names that they stand
// for, and the macros that its compiler defines. The lowering writes answers by it,
// parsers/cuda_device_names.cc renames what they use, the judge compiles and checks them by it,
// and the worker gets the rows from BackendTable(). A backend is used by reference and compared by
// address; rows live as long as the program, and any thread may read them. To add a backend, add its
// row to kernel_backend.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// An architecture that kernels are compiled for.
struct DeviceTarget {
  std::string_view name;    // "sm_80", "mp_22"
  int warp_width;           // Threads in a warp.
  std::string_view macros;  // Lines "#define NAME VALUE", beyond CUDA's own macros.
};

// A name of the backend's, and CUDA's name for the same thing.
struct NamePair {
  std::string_view own, cuda;
};

struct KernelBackend {
  // "cuda": in records, configurations and arguments; torch's device type; the C++ namespace, and
  // what the functions of the runtime begin with.
  std::string_view name;
  // "CUDA": in texts for readers, and in torch's names: kCUDA, getCurrentCUDAStream, CUDAExtension.
  std::string_view title;

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

  std::span<const DeviceTarget> targets;  // The first is the default.
  // The platform's compiler when kernelmill cannot run it; empty for CUDA, which NVRTC compiles.
  std::string_view unavailable_compiler;

  // Python modules beside torch that exist on such a machine. The first also has the functions of
  // torch.cuda.
  std::span<const std::string_view> python_modules = {};
  // Further modules that have load_inline, load and the classes for setup().
  std::span<const std::string_view> more_loader_modules = {};

  // Names other than CUDA's, which become CUDA's before the CPU executor's headers and NVRTC see
  // them. A name that consists of `name` and an upper-case letter needs no pair: musaMemcpy.
  std::span<const NamePair> names = {};
  std::span<const NamePair> name_prefixes = {};  // Of names that begin otherwise: murand_init.
  // The headers that a mined kernel includes by these names as well, and those that only answers
  // do.
  std::span<const NamePair> toolkit_headers = {};
  std::span<const NamePair> answer_headers = {};
  // Libraries whose functions begin with their name and that do not run here: cublasCreate.
  std::span<const std::string_view> libraries = {};

  // Whether sources use CUDA's names and are compiled as they are.
  bool HasCudaNames() const { return toolkit_headers.empty(); }
  // The target of that name, or the default for an empty name. kUsage with the known names for
  // another one.
  Result<const DeviceTarget*> TargetNamed(std::string_view target) const;
  // The suffix of its headers: ".cuh".
  std::string HeaderSuffix() const { return std::string(source_suffix) + "h"; }
};

extern const KernelBackend kCudaBackend;
extern const KernelBackend kMusaBackend;

// All backends, CUDA first.
std::span<const KernelBackend* const> KernelBackends();
// "cuda", "musa".
std::vector<std::string> KernelBackendNames();
// "cuda, musa", for a sentence.
std::string KernelBackendList();
// What the worker's Python needs of all backends (stages/worker/torch_worker/backends.py).
Json BackendTable();

// The methods by which torch asks whether a tensor is on a device: is_cuda, is_musa,
// is_privateuseone (torch's name for any device that it does not know itself).
const std::vector<std::string>& DeviceQueries();
// The backend whose sources or headers have the path's suffix; null for another file.
const KernelBackend* BackendOfFile(std::string_view path);

// Null for an unknown name.
const KernelBackend* FindKernelBackend(std::string_view name);
// kConfig with the known names for an unknown one.
Result<const KernelBackend*> KernelBackendNamed(std::string_view name);
// kCorrupt for an unknown name in a record of the kind `record`.
Status CheckBackendName(std::string_view record, std::string_view name);

}  // namespace kernelmill
