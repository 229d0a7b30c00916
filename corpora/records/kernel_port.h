// The payload of a port record: native kernels that a repository holds for two platforms, CUDA and
// one other, with the host code that launches them. Made by parsers/kernel_slices/port_slicer.h;
// its rows are those of generators/kernel_prose/port_prose.h.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

struct KernelPort {
  std::vector<std::string> kernels;       // Of the CUDA code, sorted.
  std::vector<std::string> port_kernels;  // Of the other code, sorted.
  // The #include lines, the definitions that the kernels need, the kernels, and the host functions
  // that launch them, in their original text and order.
  std::string code;          // For CUDA.
  std::string port_backend;  // The other platform: "musa".
  std::string port_code;

  Json ToJson() const;
  static Result<KernelPort> FromJson(const Json& json);
};

}  // namespace kernelmill
