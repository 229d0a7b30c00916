// The payload of a kernel record: a native kernel that was found in a repository, with all the
// device code that it needs, its launches and the Python functions that reach it. Made by
// parsers/kernel_slices/kernel_slicer.h, explained in rows by generators/kernel_prose/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// One launch of a kernel by host code. Expressions are as in the source, without comments and with
// white space collapsed; "" for an argument that the launch does not give. The place of the launch
// is not recorded, so that equal kernels of two repositories are one record.
struct KernelLaunch {
  std::string function;            // The host function that contains the launch.
  std::string template_arguments;  // For example "float, 4".
  std::string grid;
  std::string block;
  std::string shared;  // Bytes of dynamic shared memory.
  std::string stream;
  // The statements before the launch in the same function that give these expressions their values,
  // for example "dim3 grid((n + 255) / 256);".
  std::vector<std::string> setup;

  Json ToJson() const;
  static Result<KernelLaunch> FromJson(const Json& json);
  friend auto operator<=>(const KernelLaunch&, const KernelLaunch&) = default;
};

// The binding through which Python calls the kernel.
struct KernelBinding {
  std::string name;      // The name for Python: the first argument of m.def or m.impl.
  std::string function;  // The C++ function that is bound to that name.
  std::string launcher;  // The function with the launch: `function` or one that it calls.

  Json ToJson() const;
  static Result<KernelBinding> FromJson(const Json& json);
  friend auto operator<=>(const KernelBinding&, const KernelBinding&) = default;
};

struct KernelSource {
  std::string name;     // Without its namespace.
  std::string backend;  // "cuda" or "musa".
  // The headers, macros, types, constants and functions that the kernel needs, in dependency order
  // and in their original text, and then the kernel. Host code is left out.
  std::string code;
  std::int64_t line = 0;  // The first line of the kernel's definition in `code`, 1-based.
  std::vector<KernelLaunch> launches;   // Sorted, without repeats.
  std::vector<KernelBinding> bindings;  // Sorted.
  // Names that `code` uses but that neither `code` nor the language nor the toolkit's headers
  // define: names of libraries ("at::PhiloxCudaState", "glm") and names that no file of the
  // repository defines.
  std::vector<std::string> missing;  // Sorted.
  // Member functions of its types that are host code and were therefore left out of `code`.
  std::vector<std::string> omitted;  // Sorted.

  bool Complete() const { return missing.empty(); }

  Json ToJson() const;
  static Result<KernelSource> FromJson(const Json& json);
};

}  // namespace kernelmill
