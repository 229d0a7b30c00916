// A native kernel found in a repository, cut out with everything that it needs on the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

// One launch of a kernel by host code. Expressions as in the source, with comments left out and
// white space collapsed; "" for what the launch does not give. Where it stands is no part of it:
// equal kernels of two repositories are one record.
struct KernelLaunch {
  std::string function;            // The host function that launches.
  std::string template_arguments;  // "float, 4".
  std::string grid;
  std::string block;
  std::string shared;  // Bytes of dynamic shared memory.
  std::string stream;
  // The statements of the same function, before the launch, that give those expressions their
  // values: "dim3 grid((n + 255) / 256);".
  std::vector<std::string> setup;

  Json ToJson() const;
  static Result<KernelLaunch> FromJson(const Json& json);
  friend auto operator<=>(const KernelLaunch&, const KernelLaunch&) = default;
};

// How Python reaches the kernel.
struct KernelBinding {
  std::string name;      // What Python calls: the first argument of m.def or m.impl.
  std::string function;  // The C++ function behind that name.
  std::string launcher;  // The function that launches, reached from it by calls, or itself.

  Json ToJson() const;
  static Result<KernelBinding> FromJson(const Json& json);
  friend auto operator<=>(const KernelBinding&, const KernelBinding&) = default;
};

struct KernelSource {
  std::string name;     // Without namespace.
  std::string backend;  // "cuda" or "musa".
  // The kernel behind the headers, macros, types, constants and functions that it needs, in
  // dependency order and in their original text; host code left out.
  std::string code;
  std::int64_t line = 0;                // Where the kernel's definition begins in `code`, 1-based.
  std::vector<KernelLaunch> launches;   // Sorted, without repeats.
  std::vector<KernelBinding> bindings;  // Sorted.
  // Names that `code` uses and that neither it, nor the language, nor the toolkit's headers define:
  // those of libraries ("at::PhiloxCudaState", "glm") and those that no file of the repository has.
  std::vector<std::string> missing;  // Sorted.
  // Member functions of its types that are host code, and so left out of `code`.
  std::vector<std::string> omitted;  // Sorted.

  bool Complete() const { return missing.empty(); }

  Json ToJson() const;
  static Result<KernelSource> FromJson(const Json& json);
};

}  // namespace kernelmill
