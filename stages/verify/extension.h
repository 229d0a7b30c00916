// A C++ extension as a candidate asks for it (load_inline, load, CUDAExtension, MUSAExtension),
// recorded instead of built.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelmill {

enum class ExtensionBackend { kCuda, kMusa };

constexpr std::string_view BackendName(ExtensionBackend backend) {
  return backend == ExtensionBackend::kMusa ? "musa" : "cuda";
}

struct ExtensionSources {
  std::string name;
  // Texts in the order of the call. The first of each is known as main.cpp and cuda.cu (main.mu) in
  // diagnostics, further ones as main_1.cpp, cuda_1.cu, …
  std::vector<std::string> cpp_sources;
  std::vector<std::string> cuda_sources;
  // The files of their own that these include in quotes: name as included → text.
  std::map<std::string, std::string> headers;
  // What load_inline binds to names of its own: empty when a source has a PYBIND11_MODULE or a
  // TORCH_LIBRARY itself.
  std::vector<std::string> functions;
  ExtensionBackend backend = ExtensionBackend::kCuda;
  // Macros of extra_cflags and extra_cuda_cflags: name → value.
  std::vector<std::pair<std::string, std::string>> defines;
  // Threads of a warp: 32, or 128 for MUSA's mp_21 and mp_22.
  int warp_width = 32;
};

}  // namespace kernelmill
