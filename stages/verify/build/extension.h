// A C++ extension that a candidate asks for by load_inline, load, CUDAExtension or MUSAExtension:
// its sources, as the candidate's process records the call. This process builds the library from
// them (extension_build.h); the legality rules read them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/kernel_backend.h"

namespace kernelmill {

// Macros of a compiler's flags: name → value. compiler_flags.py lists some other flags among them,
// under names that are no identifiers.
using FlagMacros = std::vector<std::pair<std::string, std::string>>;

struct ExtensionSources {
  std::string name;
  // Texts in the order of the call; diagnostics know them by CppFileName() and CudaFileName().
  std::vector<std::string> cpp_sources;
  std::vector<std::string> cuda_sources;
  // The files of their own that these include in quotes: name as included → text.
  std::map<std::string, std::string> headers;
  // The functions that load_inline binds; empty if a source has its own PYBIND11_MODULE or
  // TORCH_LIBRARY.
  std::vector<std::string> functions;
  const KernelBackend* backend = &kCudaBackend;
  // The backend's target that kernels are compiled for; null for the default.
  const DeviceTarget* target = nullptr;
  // Whether vendors' libraries are there (stages/cuda_executor/vendor).
  bool vendor_libraries = false;
  FlagMacros defines;      // Of the device's compiler: extra_cuda_cflags.
  FlagMacros cpp_defines;  // Of the C++ compiler: extra_cflags.
};

// main.cpp, main_1.cpp, …
std::string CppFileName(std::size_t i);
// cuda.cu, cuda_1.cu, …; for MUSA cuda.mu, cuda_1.mu, …
std::string CudaFileName(const KernelBackend& backend, std::size_t i);

// Whether -use_fast_math is among the flags: the macro that it defines (compiler_flags.py) is.
bool HasFastMath(const ExtensionSources& sources);
// Whether -ftz=true, or -use_fast_math, which includes it, is.
bool Flushes(const ExtensionSources& sources);
// Whether a product and a sum may become one operation: not with -fmad=false.
bool Contracts(const ExtensionSources& sources);

// The language that -std= asks for, or that torch's loader does: "c++17" or "c++20"; earlier ones,
// such as "c++14", as they are.
std::string LanguageOf(const FlagMacros& macros);

// Whether -std= asks for one.
bool AsksForLanguage(const FlagMacros& macros);

// The directives that define the macros. Without those that no directive can define.
std::string DefinitionText(const FlagMacros& macros);

}  // namespace kernelmill
