// How the same kernel is spelled for CUDA and for MUSA.
#pragma once

#include <string>
#include <string_view>

#include "corpora/operators/tensor_type.h"

namespace kernelmill {

enum class KernelBackend : std::uint8_t { kCuda, kMusa };
// "cuda" or "musa".
KernelBackend KernelBackendOf(std::string_view name);

struct Dialect {
  KernelBackend backend;
  std::string_view name;            // "cuda"
  std::string_view loader_imports;  // Python that makes load_inline a name.
  std::string_view sources;         // load_inline's keyword for device code.
  std::string_view flags;           // And for its compiler's flags.
  std::string_view headers;         // Of every source.
  std::string_view half_header, bfloat16_header;
  std::string_view bfloat16;  // The type.
  std::string_view guard;     // Makes a tensor's device the current one.
  std::string_view stream;    // The stream that torch works in.
  std::string_view check;     // After a launch.
};

const Dialect& DialectOf(KernelBackend backend);

// A dtype in kernels.
struct ScalarName {
  std::string storage;  // In memory: "__half".
  std::string compute;  // In registers: "float".
  std::string torch;    // at::Half, as data_ptr<> wants it.
  std::string dtype;    // torch::kHalf
};
ScalarName ScalarNameOf(DType dtype, const Dialect& dialect);

// The element `place` ("x[i]") as a value of the compute type, and back.
std::string Loaded(DType dtype, const Dialect& dialect, const std::string& place);
std::string Stored(DType dtype, const Dialect& dialect, const std::string& value);

// A number as C++ writes it in that type: "0.5f", "-INFINITY", "3".
std::string Literal(double number, DType dtype);

}  // namespace kernelmill
